import { OrderBookApi, TradingSdk } from '@cowprotocol/cow-sdk'
import { ViemAdapter } from '@cowprotocol/sdk-viem-adapter'
import { createPublicClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { sepolia } from 'viem/chains'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { eventually } from './eventually.ts'
import type { World } from './world.ts'

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
    sendTransaction: async (transaction: { to: string; data: string; value?: string }) =>
      BigInt(transaction.value ?? 0) === 0n
        ? { hash: await send(world, transaction.to, transaction.data) }
        : sendByLibrary(transaction as never),
  })
  const api = new OrderBookApi({
    chainId,
    env: 'prod',
    baseUrls: { [chainId]: `${world.url}/sepolia` },
    // The library's own limit would make a test slow.
    limiterOpts: { tokensPerInterval: 1_000, interval: 'second' },
  } as never)
  const sdk = new TradingSdk({ chainId, appCode: 'test' }, { orderBookApi: api }, adapter as never)
  return { api, sdk, adapter, provider }
}

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
