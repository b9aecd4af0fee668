import * as api from 'tradegraph-client'
import { nativeCoin, type Token } from './amounts.ts'
import { pause } from './tasks.ts'

export interface Provider extends api.Eip1193Provider {
  on?(event: string, listener: () => void): void
  removeListener?(event: string, listener: () => void): void
}

export type Wallet = { id: string; name: string; provider: Provider }

/** A connected account, and the network of its wallet. */
export type Session = Connected & { url: string }
type Connected = { client: api.Client<'native'>; provider: Provider; account: string; network: Network }
type Network = api.Native<api.NetworksResult>['networks'][number]

export async function connect(url: string, provider: Provider): Promise<Session> {
  const client = api.createClient({ url, scalars: 'native' })
  const [account] = (await provider.request({ method: 'eth_requestAccounts' })) as string[]
  if (!account) throw new Error('The wallet gives access to no account.')
  const chainId = Number(await provider.request({ method: 'eth_chainId' }))
  const { networks } = await client.query(api.NetworksDocument)
  const network = networks.find((one) => one.chainId === chainId)
  if (network) return { url, client, provider, account, network }
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

/** A wallet of one test account: the local chain holds its key and signs. */
export function testWallet(rpcUrl: string, index: number): Provider {
  async function send(method: string, params: unknown = []): Promise<unknown> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const init = { method: 'POST', headers, body, signal: AbortSignal.timeout(15_000) }
    const { result, error } = await (await fetch(rpcUrl, init)).json()
    if (error) throw new Error(`The local chain refused ${method}: ${error.message}`)
    return result
  }
  return {
    async request({ method, params }) {
      if (method !== 'eth_requestAccounts' && method !== 'eth_accounts') return send(method, params)
      return ((await send('eth_accounts')) as string[]).slice(index, index + 1)
    },
  }
}

/** The contract whose orders are signed. The page does not take it from an answer. */
export const settlement = '0x9008d19f58aabd9ed0d60971565aa8510560ab41'

/** Compares the service’s claims with the chain, read through the wallet. Throws where they differ. */
export async function verify({ provider, network }: Session, tokens: readonly Token[]): Promise<void> {
  const read = (to: string, data: string) =>
    provider.request({ method: 'eth_call', params: [{ to, data }, 'latest'] })
  const differ = (what: string) => new Error(`The service and the wallet’s chain differ about ${what}.`)
  if (Number(await provider.request({ method: 'eth_chainId' })) !== network.chainId)
    throw differ('the chain id')
  if (network.settlementContract.toLowerCase() !== settlement) throw differ('the settlement contract')
  const relayer = `0x${String(await read(settlement, '0x9b552cc2')).slice(-40)}`
  if (network.vaultRelayer.toLowerCase() !== relayer) throw differ('the spender')
  for (const { address, decimals } of tokens) {
    const found = address.toLowerCase() === nativeCoin ? 18 : Number(await read(address, '0x313ce567'))
    if (found !== decimals) throw differ(`the decimals of ${address}`)
  }
}

/** Lets the spender take this amount and no more, and waits until the transaction is in a block. */
export async function approve({ provider, account: from, network }: Session, token: string, amount: bigint) {
  const words = [BigInt(network.vaultRelayer), amount].map((one) => one.toString(16).padStart(64, '0'))
  const data = `0x095ea7b3${words.join('')}`
  const hash = await provider.request({ method: 'eth_sendTransaction', params: [{ from, to: token, data }] })
  const signal = AbortSignal.timeout(300_000)
  for (;;) {
    const receipt = await provider.request({ method: 'eth_getTransactionReceipt', params: [hash] })
    const { status } = (receipt ?? {}) as { status?: string }
    if (status === '0x1') return
    if (status) throw new Error('The token refused the approval.')
    await pause(1_000, signal)
  }
}
