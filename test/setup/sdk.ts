import { OrderBookApi, TradingSdk } from '@cowprotocol/cow-sdk'
import { ViemAdapter } from '@cowprotocol/sdk-viem-adapter'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { fakeOf } from '../fakes/fake-of.ts'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

type ApiContext = NonNullable<ConstructorParameters<typeof OrderBookApi>[0]>
type BaseUrls = NonNullable<ApiContext['baseUrls']>
type Transaction = Parameters<ViemAdapter['signer']['sendTransaction']>[0]

/** The official SDK for the first account of the local market. */
export function createSdk(world: World) {
  const { chainId } = world.market.network
  const [account] = world.market.accounts
  if (!account) throw new Error('the market has no accounts')
  const provider = createPublicClient({ chain: sepolia, transport: http(world.chain.rpcUrl) })
  const adapter = new ViemAdapter({
    provider,
    signer: privateKeyToAccount(account.privateKey),
  })
  // The adapter encodes the library's value 0x0 as a byte that no node decodes, so this sends such a
  // transaction directly.
  const sendByLibrary = adapter.signer.sendTransaction.bind(adapter.signer)
  Object.assign(adapter.signer, {
    sendTransaction: async (transaction: Transaction & { to: string; data: string }) =>
      BigInt(transaction.value ?? 0) === 0n
        ? { hash: await send(world, transaction.to, transaction.data) }
        : sendByLibrary(transaction),
  })
  // The library's own limit would make a test slow.
  const limiterOpts = { tokensPerInterval: 1_000, interval: 'second' } as const
  const api = orderBookAt(chainId, `${world.url}/sepolia`, { limiterOpts })
  return { api, sdk: tradingSdk(chainId, api, adapter), adapter, provider }
}

/** The library's client of an order book at a URL. It has no other networks. */
export const orderBookAt = (chainId: number, url: string, more: ApiContext = {}) =>
  new OrderBookApi({ chainId, env: 'prod', baseUrls: fakeOf<BaseUrls>({ [chainId]: url }), ...more })

/** The library's trading, by an adapter that has its own copy of the types. */
export const tradingSdk = (chainId: number, orderBookApi: OrderBookApi, adapter: ViemAdapter) =>
  new TradingSdk(
    { chainId, appCode: 'test' },
    { orderBookApi },
    adapter as unknown as NonNullable<ConstructorParameters<typeof TradingSdk>[2]>,
  )

/** A transaction of the first account, mined. @throws when it fails */
export async function send({ chain, market }: World, to: string, data: string): Promise<Hex> {
  const [account] = market.accounts
  const hash = await chain.rpc.call<Hex>('eth_sendTransaction', [{ from: account?.address, to, data }])
  const receipt = await eventually('a receipt', () =>
    chain.rpc
      .call<{ status: Hex } | null>('eth_getTransactionReceipt', [hash])
      .then((found) => found ?? undefined),
  )
  if (receipt.status !== '0x1') throw new Error(`reverted: ${to} ${data}`)
  return hash
}
