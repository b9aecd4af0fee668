import { TradegraphError } from './error.ts'
import type { TypedData } from './typed-data.ts'

/** A wallet’s provider, as `window.ethereum` or one that EIP-6963 announces. */
export interface Eip1193Provider {
  request(request: { method: string; params?: unknown }): Promise<unknown>
}

/** An account of viem (`privateKeyToAccount`), or its wallet client. */
export interface ViemSigner {
  readonly address?: string
  readonly account?: { readonly address: string } | undefined
  // biome-ignore lint/suspicious/noExplicitAny: viem's parameters depend on the typed data
  signTypedData(parameters: any): Promise<string>
}

/** A signer of ethers 6. */
export interface EthersSigner {
  getAddress(): Promise<string>
  // biome-ignore lint/suspicious/noExplicitAny: the types of ethers are those of its own package
  signTypedData(domain: any, types: any, value: any): Promise<string>
}

/** A signer: a provider of EIP-1193, an account or wallet client of viem, or a signer of ethers. */
export type Signer = Eip1193Provider | ViemSigner | EthersSigner

/**
 * The account that signs, in lower case.
 * @param from the account to use, where a wallet has several
 * @throws TradegraphError if the wallet gives access to no account
 */
export async function addressOf(signer: Signer, from?: string): Promise<string> {
  const address = from ?? (await ownAddress(signer))
  if (address) return address.toLowerCase()
  throw new TradegraphError(
    'InvalidParameter',
    'the wallet gives no account: request eth_requestAccounts first',
    {
      field: 'signer',
    },
  )
}

/** A smart account of viem has `getAddress` too, and a type. */
const isEthers = (signer: Signer): signer is EthersSigner => 'getAddress' in signer && !('type' in signer)

async function ownAddress(signer: Signer): Promise<string | undefined> {
  if (isEthers(signer)) return signer.getAddress()
  if ('signTypedData' in signer) return signer.account?.address ?? signer.address
  const accounts = (await signer.request({ method: 'eth_accounts' })) as string[]
  return accounts[0]
}

/** Signs a payload. A refusal of the wallet is thrown as it is. */
export async function signTypedData(signer: Signer, payload: TypedData, address: string): Promise<string> {
  const { domain, types, primaryType, message } = payload
  // Both libraries add the type of the domain themselves; a wallet needs it.
  const { EIP712Domain: _, ...ownTypes } = types
  if (isEthers(signer)) return signer.signTypedData(domain, ownTypes, message)
  if ('signTypedData' in signer)
    return signer.signTypedData({
      // A wallet client without an account of its own signs with that of the order.
      ...('request' in signer && { account: signer.account ?? address }),
      domain,
      types: ownTypes,
      primaryType,
      message,
    })
  const request = { method: 'eth_signTypedData_v4', params: [address, JSON.stringify(payload)] }
  return (await signer.request(request)) as string
}
