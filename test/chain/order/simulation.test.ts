import { describe, expect, test } from 'vitest'
import { createOrderSimulation } from '../../../src/chain/order/simulation.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { SimulatedOrder } from '../../../src/domain/evm/simulation.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { type Behaviour, refusing, startScriptedNode } from '../scripted-node.ts'

const order: SimulatedOrder = { ...sampleOrder(), signingScheme: 'presign', filled: 0n }
const authenticator = `0x${numbered('aa').slice(2).padStart(64, '0')}`

/** Knows the authenticator and every block; `settle` answers the settlement itself. */
const node = (
  settle: (to: unknown) => { result: unknown } | { error: unknown } | Promise<never>,
): Behaviour => ({
  answer: ({ method, params }) => {
    if (method !== 'eth_call') return { result: '0x1' }
    const [call, , overrides] = params as [{ to: string }, string, object | undefined]
    return overrides ? settle(call.to) : { result: authenticator }
  },
})
const slotOf = `0x${'01'.repeat(32)}` as const

async function simulation(behaviour: Behaviour, knowsSlots = true, atOnce = 4) {
  const scripted = await startScriptedNode(behaviour)
  const rpc = createRpc({
    url: scripted.url,
    log: silentLog,
    now: Date.now,
    retries: 0,
    timeoutMs: 300,
  })
  const slots = async () => ({
    balance: knowsSlots ? () => slotOf : undefined,
    allowance: undefined,
    isComputed: false,
  })
  const simulate = createOrderSimulation({ rpc, network: sampleNetwork, slots, atOnce })
  return { simulate, [Symbol.asyncDispose]: () => scripted[Symbol.asyncDispose]() }
}

const reverting = { error: { code: 3, message: 'execution reverted', data: '0x' } }
const never = new Promise<never>(() => undefined)

describe('a settlement', () => {
  test.each<[string, Behaviour, string | null]>([
    ['that succeeds', node(() => ({ result: '0x' })), null],
    ['that reverts', node(() => reverting), 'execution reverted'],
    ['that uses up its gas', node(() => ({ error: { code: -32000, message: 'out of gas' } })), 'out of gas'],
    ['that does not end', node(() => never), 'the settlement does not end in time'],
  ])('%s', async (_, behaviour, error) => {
    await using world = await simulation(behaviour)
    expect((await world.simulate(order, null)).error).toBe(error)
  })

  test('that fails without the made-up funds says so', async () => {
    await using world = await simulation(
      node(() => reverting),
      false,
    )
    expect((await world.simulate(order, null)).error).toContain(
      'how the buy token stores balances is not known',
    )
  })
})

describe('a node that', () => {
  test.each<[string, Behaviour]>([
    ['is silent', 'silence'],
    ['hangs up', 'hang up'],
    ['refuses all', refusing('header not found')],
    ['has no state of the block', node(() => ({ error: { code: -32000, message: 'missing trie node' } }))],
    ['knows no overrides', node(() => ({ error: { code: -32602, message: 'too many arguments' } }))],
  ])('%s is an outage, not a failure of the order', async (_, behaviour) => {
    await using world = await simulation(behaviour)
    await expect(world.simulate(order, 7)).rejects.toBeInstanceOf(Outage)
  })
})

test('more than may wait are refused at once', async () => {
  await using world = await simulation(
    node(() => never),
    true,
    1,
  )
  const all = await Promise.allSettled(Array.from({ length: 8 }, () => world.simulate(order, null)))
  const refused = all.filter((one) => one.status === 'rejected' && one.reason instanceof Outage)
  expect(refused.length).toBe(3)
})
