import { describe, expect, test } from 'vitest'
import {
  assignHookCalls,
  dueHooks,
  type HookCall,
  hookResult,
  isLimitTight,
} from '../../../src/domain/settlement/hooks.ts'
import { numbered, sampleOrder } from '../../fakes/order.ts'

const hook = (gasLimit = 100n, target = numbered('01')) => ({ target, callData: '0x' as const, gasLimit })
const call = (more: Partial<HookCall> = {}): HookCall => ({
  target: numbered('01'),
  callData: '0x',
  gas: 100n,
  gasUsed: 10n,
  failure: null,
  ...more,
})
const failed = (outOfGas: 'itself' | 'inside' | null = null, reason: string | null = null) => ({
  failure: { outOfGas, reason },
})

describe('calls of hooks', () => {
  test('belong to the hooks of two orders in order, each once', () => {
    const calls = [call({ gasUsed: 1n }), call({ gasUsed: 2n })]
    expect(assignHookCalls([hook(), hook(), hook()], calls)).toEqual([...calls, undefined])
  })

  test('belong to the hook with their limit, and else to one that was forwarded less than its limit', () => {
    const [exact, less] = [call({ gas: 100n }), call({ gas: 90n })]
    expect(assignHookCalls([hook(95n), hook(100n)], [less, exact])).toEqual([less, exact])
    expect(assignHookCalls([hook(80n)], [less])).toEqual([undefined])
    expect(assignHookCalls([hook()], [call({ gas: null })])).toEqual([call({ gas: null })])
    expect(assignHookCalls([hook(100n, numbered('02'))], [call()])).toEqual([undefined])
  })
})

test.each([
  ['succeeded', call(), 'succeeded', 10n],
  ['failed for want of gas', call({ ...failed('itself'), gasUsed: 100n }), 'outOfGas', 100n],
  [
    'failed so, by a node that reports no gas',
    call({ ...failed('itself'), gasUsed: null }),
    'outOfGas',
    100n,
  ],
  [
    'was left with a 64th by a call inside',
    call({ gas: 6_400n, gasUsed: 6_300n, ...failed('inside') }),
    'outOfGas',
    6_300n,
  ],
  ['had more left', call({ gas: 6_400n, gasUsed: 6_299n, ...failed('inside') }), 'reverted', 6_299n],
  ['was forwarded less than its limit', call({ gas: 6_000n, ...failed() }), 'outOfGas', 10n],
  ['answered nevertheless', call({ gas: 6_000n, ...failed(null, 'no') }), 'reverted', 10n],
])('a hook that %s', (_, made, outcome, gasUsed) => {
  expect(hookResult(made, { gasLimit: 6_400n === made.gas || made.gas === 6_000n ? 6_400n : 100n })).toEqual({
    outcome,
    gasUsed,
    reason: outcome === 'reverted' ? (made.failure?.reason ?? null) : null,
  })
})

test('a gas limit is tight of which less than a tenth is left, or that does not suffice', () => {
  const tight = (gasUsed: bigint | null, outcome: 'succeeded' | 'reverted' | 'outOfGas' = 'succeeded') =>
    isLimitTight({ gasLimit: 1_000n }, { outcome, gasUsed })
  expect([900n, 901n, null].map((used) => tight(used))).toEqual([false, true, false])
  expect([tight(1_000n, 'outOfGas'), tight(999n, 'reverted')]).toEqual([true, false])
})

test('pre-hooks are due with the first fill only, and a document that is refused has none', () => {
  const hooks = { pre: [{ ...hook(), gasLimit: '100' }], post: [{ ...hook(), gasLimit: '7' }] }
  const interaction = { target: numbered('0c'), value: 0n, callData: '0x' as const }
  const order = {
    ...sampleOrder(),
    fullAppData: JSON.stringify({ metadata: { hooks } }),
    interactions: { pre: [interaction], post: [interaction] },
  }
  expect(dueHooks(order)).toEqual({ pre: [hook()], post: [hook(7n)] })
  const filled = { ...order, executedSellAmount: 1n, executedBuyAmount: 1n }
  expect(dueHooks(filled)).toEqual({ pre: [], post: [hook(7n)] })
  expect(dueHooks({ ...order, fullAppData: '{"metadata":{"hooks":{"pre":1}}}' })).toEqual({
    pre: [],
    post: [],
  })
})
