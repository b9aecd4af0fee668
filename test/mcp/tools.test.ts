import { Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openAgent } from '../setup/agent.ts'
import { eventually } from '../setup/eventually.ts'
import { startWorld, type World } from '../setup/world.ts'

let world: World
beforeAll(async () => {
  world = await startWorld({ environment: { MCP_HOSTS: 'localhost,127.0.0.1' } })
})
afterAll(() => world?.[Symbol.asyncDispose]())

const addressOf = (symbol: 'WETH' | 'USDC' | 'DAI') => world.market.tokens[symbol].address

/** A wallet outside of the service, as a user has it. */
const walletOf = (account: number) => new Wallet(world.market.accounts[account]?.privateKey ?? '')

interface TypedData {
  domain: Record<string, unknown>
  types: Record<string, { name: string; type: string }[]>
  message: Record<string, unknown>
}

function sign(wallet: Wallet, { domain, types, message }: TypedData): Promise<string> {
  const { EIP712Domain: _, ...signed } = types
  return wallet.signTypedData(domain, signed, message)
}

describe.each(['http', 'stdio'] as const)('over %s', (by) => {
  test('an agent quotes, explains, submits what a wallet signed outside, and follows it to the fill', async () => {
    await using agent = await openAgent(world.url, by)
    const wallet = walletOf(by === 'http' ? 0 : 1)
    const from = wallet.address
    const listed = await agent.call('networks')
    console.log(JSON.stringify(listed))
    const quoted = await agent.call('quote', {
      ...{ from, sellToken: addressOf('WETH'), buyToken: addressOf('USDC') },
      ...{ sellAmount: String(10n ** 17n), slippageBps: 100 },
    })
    console.log(JSON.stringify(quoted, null, 1))
    const { order, typedData, quoteId, uid } = quoted.content
    const terms = { ...order, from, quoteId, appData: '{}' }
    const explained = await agent.call('explain_order_before_signing', terms)
    console.log(JSON.stringify(explained, null, 1))
    const signature = await sign(wallet, typedData)
    const placed = await agent.call('submit_order', { ...terms, signature })
    console.log(JSON.stringify(placed))
    expect(placed.content.uid).toBe(uid)
    const why = await agent.call('why_not_filled', { uid })
    console.log(JSON.stringify(why))
    const filled = await eventually('the fill', async () => {
      const found = await agent.call('order', { uid })
      return found.content.status === 'FULFILLED' ? found : undefined
    })
    console.log(JSON.stringify(filled, null, 1))
    console.log(JSON.stringify(await agent.call('account_notifications', { account: from })))
    console.log(JSON.stringify(await agent.call('account_orders', { account: from })))
    console.log(JSON.stringify(await agent.call('market', { base: addressOf('WETH'), quote: '-' })))
    console.log(JSON.stringify(await agent.call('tokens', { addresses: [addressOf('WETH'), addressOf('USDC')] })))
    console.log(JSON.stringify(await agent.call('pairs', { network: 'sepolia' })))
    console.log(JSON.stringify(await agent.call('pairs', { network: 5, privateKey: 'x' })))
    console.log(JSON.stringify(await agent.call('quote', { ...terms })))
  })
})
