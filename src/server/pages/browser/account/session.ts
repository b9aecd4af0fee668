import { createSiweMessage } from 'viem/siwe'
import { getAddress, toHex } from 'viem/utils'
import { queryService, Refused } from '../ask.ts'
import { documents } from './documents.ts'

/** A wallet in the page (EIP-1193). */
interface Provider {
  request(call: { method: string; params?: readonly unknown[] }): Promise<unknown>
}

export interface Wallet {
  id: string
  name: string
  provider: Provider
}

interface Announcement {
  info: { uuid: string; name: string }
  provider: Provider
}

/**
 * Finds the wallets that announce themselves (EIP-6963), or else the one of `window.ethereum`.
 * @returns a function that ends it
 */
export function findWallets(onWallets: (wallets: readonly Wallet[]) => void): () => void {
  const announced = new Map<string, Wallet>()
  const injected = (globalThis as { ethereum?: Provider }).ethereum
  const notify = () =>
    onWallets(
      announced.size === 0 && injected
        ? [{ id: 'injected', name: 'your wallet', provider: injected }]
        : [...announced.values()],
    )
  const onAnnounced = (event: Event) => {
    const { info, provider } = (event as CustomEvent<Announcement>).detail
    announced.set(info.uuid, { id: info.uuid, name: info.name, provider })
    notify()
  }
  addEventListener('eip6963:announceProvider', onAnnounced)
  dispatchEvent(new Event('eip6963:requestProvider'))
  notify()
  return () => removeEventListener('eip6963:announceProvider', onAnnounced)
}

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

/** The wallet has other accounts than that of the page. */
export class OtherAccount extends Error {
  readonly account: string

  constructor(account: string) {
    super('The wallet has another account.')
    this.account = account
  }
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
  provider: Provider,
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
