import { createSiweMessage } from 'viem/siwe'
import { getAddress, toHex } from 'viem/utils'
import { queryService, Refused } from '../ask.ts'
import { OtherAccount, type Wallet } from '../view/wallets.ts'
import { documents } from './documents.ts'

export interface Session {
  token: string
  expiresAt: string
}

const keyOf = (account: string) => `session of ${account}`

/** The session of this tab, while it is open. */
export function storedSession(account: string): Session | undefined {
  const text = sessionStorage.getItem(keyOf(account))
  const session = text === null ? undefined : (JSON.parse(text) as Session)
  return session && Date.parse(session.expiresAt) > Date.now() ? session : undefined
}

export function forgetSession(account: string): void {
  sessionStorage.removeItem(keyOf(account))
}

/** The service has another public address than this page: wallets warn of messages for other sites. */
export class OtherSite extends Error {
  readonly uri: string

  constructor(uri: string) {
    super('Sign in at the service’s own address.')
    this.uri = uri
  }
}

/**
 * Lets the wallet sign a message of EIP-4361.
 * @throws OtherAccount; OtherSite; Refused; errors of the wallet
 */
export async function signIn(
  account: string,
  provider: Wallet['provider'],
  chainIds: readonly number[],
): Promise<Session> {
  const { createSignInChallenge: challenge } = await queryService(documents.challenge, {})
  if (challenge.domain !== location.host) throw new OtherSite(challenge.uri)
  const accounts = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!accounts.some((other) => other.toLowerCase() === account)) throw new OtherAccount(accounts[0] ?? '')
  const current = Number(await provider.request({ method: 'eth_chainId' }))
  const chainId = chainIds.includes(current) ? current : chainIds[0]
  if (chainId === undefined) throw new Refused('The service has no network.', 'Unavailable')
  const message = createSiweMessage({
    ...challenge,
    address: getAddress(account),
    chainId,
    version: '1',
    statement: 'Sign in to manage the notifications of this account.',
    issuedAt: new Date(),
  })
  const signature = await provider.request({ method: 'personal_sign', params: [toHex(message), account] })
  const { signIn: session } = await queryService(documents.signIn, {
    input: { message, signature: String(signature) },
  })
  sessionStorage.setItem(keyOf(account), JSON.stringify(session))
  return session
}

export async function signOut(account: string, { token }: Session): Promise<void> {
  forgetSession(account)
  await queryService(documents.signOut, {}, { token })
}
