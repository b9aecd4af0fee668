import { type BaseWallet, type TypedDataDomain, Wallet } from 'ethers'
import type { Address } from '../../src/domain/evm/address.ts'

const types = {
  AffiliateCode: [
    { name: 'walletAddress', type: 'address' },
    { name: 'code', type: 'string' },
    { name: 'chainId', type: 'uint256' },
  ],
}

/** The key of one account after another. */
export function numberedKey(number: number): Wallet {
  return new Wallet(`0x${(number + 1).toString(16).padStart(64, '0')}`)
}

/** As a wallet signs, apart from what is said otherwise. */
export function signCode(
  key: BaseWallet,
  code: string,
  said: { wallet?: Address; chainId?: number; domain?: TypedDataDomain } = {},
): Promise<string> {
  const { wallet = key.address, chainId = 1 } = said
  const message = { walletAddress: wallet, code, chainId }
  return key.signTypedData({ name: 'Service Affiliate', version: '1', ...said.domain }, types, message)
}

/** The body of a registration. */
export async function signedBody(key: BaseWallet, code: string) {
  return { walletAddress: key.address, code, signedMessage: await signCode(key, code) }
}
