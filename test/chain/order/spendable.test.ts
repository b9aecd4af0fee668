import { expect, test } from 'vitest'
import { cacheSpendable, type Spendable } from '../../../src/chain/chain.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { coin, dollar, numbered } from '../../fakes/order.ts'

const owner = numbered('0f')
const holding = { owner, token: dollar }

/** A chain with a settable answer and clock, which counts requests. */
function scripted(...answers: (Spendable | Error)[]) {
  const state = { asked: 0, now: 1_000 }
  const read = async () => {
    const answer = answers[Math.min(state.asked++, answers.length - 1)]
    if (answer instanceof Error || !answer) throw answer
    return answer
  }
  return { state, ask: cacheSpendable(read, () => state.now) }
}

const rich = { balance: 100n, allowance: 100n }
const unapproved = { balance: 100n, allowance: 0n }

test('a sufficient balance is cached for a quarter of a second, for one account and token', async () => {
  const { state, ask } = scripted(rich)
  expect([await ask(holding, 100n), await ask(holding, 1n)]).toEqual([rich, rich])
  expect(state.asked).toBe(1)
  await ask({ ...holding, token: coin }, 1n)
  await ask({ ...holding, owner: numbered('1f') }, 1n)
  expect(state.asked).toBe(3)
  state.now += 250
  await ask(holding, 1n)
  expect(state.asked).toBe(4)
})

test('an insufficient balance is not cached: an approval that was just mined counts', async () => {
  const { state, ask } = scripted(unapproved, rich)
  expect(await ask(holding, 50n)).toEqual(unapproved)
  expect(await ask(holding, 50n)).toEqual(rich)
  expect(await ask(holding, 60n)).toEqual(rich)
  expect(state.asked).toBe(2)
})

test('a second check waits for the read under way, and reads again if the result is insufficient', async () => {
  const { state, ask } = scripted(unapproved, rich)
  expect(await Promise.all([ask(holding, 50n), ask(holding, 50n)])).toEqual([unapproved, rich])
  expect(state.asked).toBe(2)
})

test('an outage is reported and not cached', async () => {
  const { state, ask } = scripted(new Outage('the node'), rich)
  await expect(ask(holding, 1n)).rejects.toThrow(Outage)
  expect(await ask(holding, 1n)).toEqual(rich)
  expect(state.asked).toBe(2)
})
