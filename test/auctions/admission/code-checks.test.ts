import { beforeEach, describe, expect, test } from 'vitest'
import { createCodeChecks, needsCodeCheck } from '../../../src/auctions/admission/code-checks.ts'
import type { OrderAnswer, OrderQuestion } from '../../../src/chain/order/order-check.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Order } from '../../../src/domain/order/order.ts'
import { orderDigest } from '../../../src/domain/signing/signing.ts'
import { sampleNetwork } from '../../fakes/network.ts'
import { numbered, sampleOrder, signingDomain } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const good: OrderAnswer = {
  balance: 5n,
  allowance: 7n,
  transfer: 'ok',
  signature: 'valid',
  signatureGas: 3_000n,
  ownerHasCode: true,
  exhausted: false,
}
const hook = { target: numbered('12'), value: 0n, callData: '0xab' as const }
const [first, second, third] = [numbered('21'), numbered('22'), numbered('23')]

let asked: OrderQuestion[]
let answer: (question: OrderQuestion) => OrderAnswer | Promise<OrderAnswer>
let ids: bigint
beforeEach(() => {
  asked = []
  answer = () => good
  ids = 0n
})

const createChecks = (limits = { perBlock: 10, perOwner: 2, waitMs: 30, atOnce: 2 }) =>
  createCodeChecks({
    async check(question) {
      asked.push(question)
      return answer(question)
    },
    network: sampleNetwork,
    log: silentLog,
    limits,
  })
const walletOrder = (owner = first, more: Partial<Order> = {}) =>
  sampleOrder({
    id: ++ids,
    owner,
    validTo: Number(ids),
    signingScheme: 'eip1271',
    signature: '0xc0de',
    ...more,
  })
const block = (number: number) => ({
  number,
  hash: `0x${number.toString(16).padStart(64, '0')}` as const,
  parentHash: `0x${'00'.repeat(32)}` as const,
  timestamp: number,
})
const never = new Promise<never>(() => undefined)
const owners = () => asked.map(({ owner }) => owner)

test('only contract wallet orders and unfilled orders with pre-hooks need a check', () => {
  const hooked = { pre: [hook], post: [] }
  expect(needsCodeCheck(sampleOrder())).toBe(false)
  expect(needsCodeCheck(walletOrder())).toBe(true)
  expect(needsCodeCheck(sampleOrder({ interactions: hooked }))).toBe(true)
  expect(needsCodeCheck(sampleOrder({ interactions: { pre: [], post: [hook] } }))).toBe(false)
  expect(needsCodeCheck(sampleOrder({ interactions: hooked, executedSellAmount: 1n }))).toBe(false)
})

test('the check simulates what the next settlement executes', async () => {
  const part = { partiallyFillable: true, sellAmount: 100n, buyAmount: 50n }
  const interactions = { pre: [hook], post: [hook] }
  const whole = walletOrder(first, { ...part, interactions })
  const sold = walletOrder(second, { ...part, interactions, executedSellAmount: 40n })
  const bought = sampleOrder({
    ...part,
    id: 9n,
    kind: 'buy',
    owner: third,
    interactions,
    executedBuyAmount: 0n,
  })
  await createChecks().ask([whole, sold, bought], block(1))
  const question = { sellToken: whole.sellToken, amount: 100n, preInteractions: [hook] }
  const signature = (order: Order) => ({ digest: orderDigest(signingDomain, order), bytes: '0xc0de' })
  expect(asked).toEqual([
    { ...question, owner: first, signature: signature(whole) },
    { ...question, owner: second, amount: 60n, preInteractions: [], signature: signature(sold) },
    { ...question, owner: third },
  ])
})

test('an answer is valid for its block', async () => {
  const checks = createChecks()
  const order = walletOrder()
  expect(await checks.ask([order], block(1))).toEqual(new Map([[order.id, good]]))
  expect(await checks.ask([order], block(1))).toEqual(new Map([[order.id, good]]))
  expect(asked).toHaveLength(1)
  await checks.ask([order], block(2))
  expect(asked).toHaveLength(2)
})

test('an invalid signature is checked at growing intervals, and its order stays excluded meanwhile', async () => {
  const checks = createChecks()
  const order = walletOrder()
  answer = () => ({ ...good, signature: 'invalid' })
  const asksAt: number[] = []
  for (let number = 1; number <= 25; number++) {
    const before = asked.length
    expect((await checks.ask([order], block(number))).get(order.id)?.signature).toBe('invalid')
    if (asked.length > before) asksAt.push(number)
  }
  expect(asksAt).toEqual([1, 3, 7, 15, 23])
  answer = () => good
  const holds: number[] = []
  for (let number = 26; number <= 33; number++) {
    if ((await checks.ask([order], block(number))).get(order.id)?.signature === 'valid') holds.push(number)
  }
  expect(holds).toEqual([31, 32, 33])
})

describe('a slow owner', () => {
  test('is not waited for, and not asked again before it answered', async () => {
    const checks = createChecks()
    const [slow, other] = [walletOrder(first), walletOrder(second)]
    let reply: (late: OrderAnswer) => void = () => undefined
    answer = ({ owner }) => (owner === first ? new Promise((resolve) => (reply = resolve)) : good)
    expect(await checks.ask([slow, other], block(1))).toEqual(new Map([[other.id, good]]))
    expect(await checks.ask([slow, other], block(2))).toEqual(new Map([[other.id, good]]))
    expect(owners()).toEqual([first, second, second])
    reply(good)
    await new Promise(setImmediate)
    answer = () => good
    await checks.ask([slow, other], block(3))
    expect(owners().slice(3).toSorted()).toEqual([first, second])
  })

  test('is paused with all of its orders', async () => {
    const checks = createChecks()
    const [slow, mate, other] = [walletOrder(first), walletOrder(first), walletOrder(second)]
    answer = ({ owner }) =>
      owner === first ? { ...good, balance: 0n, signature: 'invalid', exhausted: true } : good
    for (const number of [1, 2, 3]) await checks.ask([slow, mate, other], block(number))
    expect(owners().filter((owner) => owner === first)).toHaveLength(2)
    expect(owners().filter((owner) => owner === second)).toHaveLength(3)
  })

  test('takes at most one of the slots', async () => {
    const checks = createChecks()
    const orders = [
      ...Array.from({ length: 9 }, () => walletOrder(first)),
      walletOrder(second),
      walletOrder(third),
    ]
    answer = ({ owner }) => (owner === first ? never : good)
    const answers = await checks.ask(orders, block(1))
    expect([...answers.keys()]).toEqual([10n, 11n])
    expect(owners()).toEqual([first, second, third])
  })
})

test('many orders of one owner are checked in rotation, and keep their answers for some blocks', async () => {
  const checks = createChecks()
  const orders = [1, 2, 3, 4, 5].map(() => walletOrder())
  const rounds: bigint[][] = []
  for (const number of [1, 2, 3, 14]) rounds.push([...(await checks.ask(orders, block(number))).keys()])
  expect(rounds).toEqual([
    [1n, 2n],
    [1n, 2n, 3n, 4n],
    [1n, 2n, 3n, 4n, 5n],
    [2n, 3n],
  ])
})

test('an order that cannot be checked is left out, and no other', async () => {
  const checks = createChecks()
  const orders = [walletOrder(first), walletOrder(second), walletOrder(third)]
  answer = ({ owner }) => (owner === first ? Promise.reject(new Outage('the network node')) : good)
  expect([...(await checks.ask(orders, block(1))).keys()]).toEqual([2n, 3n])
  answer = () => Promise.reject(new TypeError('a bug'))
  await expect(checks.ask(orders, block(2))).rejects.toThrow('a bug')
})

test('with many orders, each keeps its answer for two rounds of them all', async () => {
  const checks = createChecks({ perBlock: 2, perOwner: 2, waitMs: 1_000, atOnce: 2 })
  const orders = Array.from({ length: 40 }, (_, index) => walletOrder(numbered((0x30 + index).toString(16))))
  let answered = 0
  for (let number = 1; number <= 20; number++) answered = (await checks.ask(orders, block(number))).size
  expect(answered).toBe(40)
  answer = () => never
  expect((await checks.ask(orders, block(60))).size).toBe(2)
})
