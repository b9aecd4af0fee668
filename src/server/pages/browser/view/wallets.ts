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

/** The wallet has other accounts than that of the page. */
export class OtherAccount extends Error {
  readonly account: string

  constructor(account: string) {
    super('The wallet has another account.')
    this.account = account
  }
}
