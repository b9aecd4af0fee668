import { Wallet } from 'ethers'
import { createWalletClient, http } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  cancelOrders,
  createClient,
  OrderDocument,
  placeOrder,
  QuoteDocument,
  type Signer,
  waitForOrder,
} from '../../src/client/package.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.[Symbol.asyncDispose]())

const keyOf = (account: number) => (world.market.accounts[account]?.privateKey ?? '') as `0x${string}`

/** Wallets that sign for the first accounts, as applications have them. */
const signers: [name: string, account: number, open: () => Signer][] = [
  ['a signer of ethers', 0, () => new Wallet(keyOf(0))],
  ['an account of viem', 1, () => privateKeyToAccount(keyOf(1))],
  [
    'a wallet client of viem',
    2,
    () => createWalletClient({ account: privateKeyToAccount(keyOf(2)), transport: http(world.chain.rpcUrl) }),
  ],
  ['a provider of EIP-1193', 0, () => walletProvider(keyOf(0))],
]

/** A wallet that takes what MetaMask takes: a request with the account and the payload as JSON. */
function walletProvider(key: string) {
  const wallet = new Wallet(key)
  return {
    async request({ method, params }: { method: string; params?: unknown }) {
      if (method === 'eth_accounts') return [wallet.address]
      const [address, json] = params as [string, string]
      const { domain, types, message } = JSON.parse(json)
      if (method !== 'eth_signTypedData_v4' || address.toLowerCase() !== wallet.address.toLowerCase())
        throw Object.assign(new Error('not supported'), { code: 4200 })
      const { EIP712Domain, ...own } = types
      expect(EIP712Domain.map((member: { name: string }) => member.name)).toEqual(Object.keys(domain))
      return wallet.signTypedData(domain, own, message)
    },
  }
}

test.each(signers)(
  '%s places an order, which is awaited, and cancels another one',
  async (_, account, open) => {
    const client = createClient({ url: world.url, scalars: 'native' })
    const signer = open()
    const { WETH, USDC } = world.market.tokens
    const input = {
      from: new Wallet(keyOf(account)).address,
      sellToken: WETH.address,
      buyToken: USDC.address,
      amount: { sellBeforeFee: 10n ** 17n },
      appData: '{"appCode":"client"}',
    }
    const { quote } = await client.mutate(QuoteDocument, { input, slippageBps: 100 })
    expect(quote.expiration).toBeInstanceOf(Date)
    const placed = await placeOrder(client, { ...quote, signer })
    expect(placed.uid).toBe(quote.order.uid)
    expect(placed.sellAmount).toBe(quote.order.sellAmount)
    const filled = await waitForOrder(client, placed.uid)
    expect(filled.status).toBe('FULFILLED')
    expect(filled.executedBuyAmount).toBeGreaterThanOrEqual(quote.order.buyAmount)

    // The same order again is the same order.
    expect((await placeOrder(client, { ...quote, signer })).status).toBe('FULFILLED')

    const dear = { ...quote.order, buyAmount: quote.order.buyAmount * 2n }
    const open2 = await placeOrder(client, { ...quote, order: dear, signer })
    expect(open2.buyAmount).toBe(dear.buyAmount)
    const [cancelled] = await cancelOrders(client, [open2.uid], { signer })
    expect(cancelled?.status).toBe('CANCELLED')
    const { order } = await client.query(OrderDocument, { uid: open2.uid })
    expect(order?.invalidated).toBe(true)
  },
)
