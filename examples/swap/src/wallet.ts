import * as api from 'tradegraph/client'

export interface Provider extends api.Eip1193Provider {
  on?(event: string, listener: () => void): void
  removeListener?(event: string, listener: () => void): void
}

export interface Wallet {
  id: string
  name: string
  provider: Provider
}

/** A connected account, and the network of its wallet. */
export interface Session {
  client: api.Client<'native'>
  provider: Provider
  account: string
  network: api.Native<api.NetworksResult>['networks'][number]
}

export async function connect(url: string, provider: Provider): Promise<Session> {
  const client = api.createClient({ url, scalars: 'native' })
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!account) throw new Error('The wallet gives access to no account.')
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  const { networks } = await client.query(api.NetworksDocument)
  const network = networks.find((one) => one.chainId === chainId)
  if (network) return { client, provider, account, network }
  throw new Error(`Switch the wallet to ${networks.map(({ name }) => name).join(' or ')}.`)
}

/** Collects the wallets that announce themselves (EIP-6963). Returns the function that ends it. */
export function findWallets(onWallet: (wallet: Wallet) => void): () => void {
  const onAnnounced = (event: Event) => {
    const { info, provider } = (event as CustomEvent).detail
    onWallet({ id: String(info.uuid), name: String(info.name), provider })
  }
  addEventListener('eip6963:announceProvider', onAnnounced)
  dispatchEvent(new Event('eip6963:requestProvider'))
  return () => removeEventListener('eip6963:announceProvider', onAnnounced)
}

/** A wallet of one test account. The local chain holds the keys of its test accounts and signs, so the page has none. */
export function testWallet(rpcUrl: string, index: number): Provider {
  async function send(method: string, params: unknown = []): Promise<unknown> {
    const response = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      signal: AbortSignal.timeout(15_000),
    })
    const { result, error } = await response.json()
    if (error) throw new Error(`The local chain refused ${method}: ${error.message}`)
    return result
  }
  return {
    async request({ method, params }) {
      if (method !== 'eth_requestAccounts' && method !== 'eth_accounts') return send(method, params)
      const account = ((await send('eth_accounts')) as string[])[index]
      return account ? [account] : []
    },
  }
}

const word = (hex: string) => hex.padStart(64, '0')

/** Lets the spender take this amount and no more, and waits until the transaction is in a block. */
export async function approve(
  provider: Provider,
  { from, token, spender, amount }: { from: string; token: string; spender: string; amount: bigint },
  signal: AbortSignal,
): Promise<void> {
  const data = `0x095ea7b3${word(spender.slice(2).toLowerCase())}${word(amount.toString(16))}`
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: token, data }] })
  for (;;) {
    signal.throwIfAborted()
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const { status } = (receipt ?? {}) as { status?: string }
    if (status === '0x1') return
    if (status) throw new Error('The token refused the approval.')
    await new Promise((resolve) => setTimeout(resolve, 1_000))
  }
}
