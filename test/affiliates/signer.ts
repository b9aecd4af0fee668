import { type BaseWallet, type TypedDataDomain, Wallet } from 'ethers'
import type { Address } from '../../src/domain/evm/address.ts'

const types = {
  AffiliateCode: [
    { name: 'walletAddress', type: 'address' },
    { name: 'code', type: 'string' },
    { name: 'chainId', type: 'uint256' },
  ],
}

/** The key of the account with this number. */
export function numberedKey(number: number): Wallet {
  return new Wallet(`0x${(number + 1).toString(16).padStart(64, '0')}`)
}

/** Signs the registration as a wallet does; `options` replace single members. */
export function signCode(
  key: BaseWallet,
  code: string,
  options: { wallet?: Address; chainId?: number; domain?: TypedDataDomain } = {},
): Promise<string> {
  const { wallet = key.address, chainId = 1 } = options
  const message = { walletAddress: wallet, code, chainId }
  return key.signTypedData({ name: 'Service Affiliate', version: '1', ...options.domain }, types, message)
}

/** The body of a registration. */
export async function signedBody(key: BaseWallet, code: string) {
  return { walletAddress: key.address, code, signedMessage: await signCode(key, code) }
}
