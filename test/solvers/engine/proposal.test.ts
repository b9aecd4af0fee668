import { describe, expect, test } from 'vitest'
import { approveCall } from '../../../src/domain/settlement/calldata.ts'
import { parseEngineAnswer } from '../../../src/solvers/engine/client.ts'
import { toProposal } from '../../../src/solvers/engine/proposal.ts'
import { createPunctuality } from '../../../src/solvers/outside/punctuality.ts'
import { samplePool } from '../../fakes/market.ts'
import { dollar, numbered, wrapped } from '../../fakes/order.ts'

const settlement = numbered('5e')
const relayer = numbered('5f')
const router = numbered('77')
const uid = `0x${'ab'.repeat(56)}`
const options = {
  pools: [samplePool('01', wrapped, dollar, 10_000n)],
  settlement,
  forbidden: [settlement, relayer],
}
const call = (target: string, callData = '0x') => ({ target, value: '0', callData })
const custom = (more: object = {}) => ({ kind: 'custom', internalize: false, ...call(router), ...more })

function proposed(more: object) {
  const solution = {
    id: 1,
    prices: { [wrapped]: '3000', [dollar]: '1' },
    trades: [{ kind: 'fulfillment', order: uid, executedAmount: '5' }],
    interactions: [],
    ...more,
  }
  const answer = parseEngineAnswer({ solutions: [solution] })
  if (!('solutions' in answer) || !answer.solutions[0]) throw new Error('malformed')
  return toProposal(answer.solutions[0], options)
}

const jit = {
  kind: 'jit',
  executedAmount: '1',
  order: {
    sellToken: wrapped,
    buyToken: dollar,
    receiver: router,
    sellAmount: '1',
    buyAmount: '1',
    validTo: 1,
    appData: `0x${'00'.repeat(32)}`,
    kind: 'sell',
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    signingScheme: 'eip712',
    signature: '0x',
  },
}
const loan = {
  liquidityProvider: router,
  protocolAdapter: router,
  receiver: router,
  token: dollar,
  amount: '1',
}
const swap = {
  kind: 'liquidity',
  internalize: false,
  id: numbered('02'),
  inputToken: wrapped,
  outputToken: dollar,
  inputAmount: '1',
  outputAmount: '1',
}
const allowance = (spender: string) => ({ allowances: [{ token: dollar, spender, amount: '9' }] })

describe('what an engine may not propose is refused with words', () => {
  test.each<[string, object, string]>([
    ['nothing', { trades: [] }, 'emptySolution'],
    ['an order of its own', { trades: [jit] }, 'driverError'],
    ['a flash loan', { flashloans: { [uid]: loan } }, 'driverError'],
    ['a wrapper', { wrappers: [{ address: router, data: '0x' }] }, 'driverError'],
    ['internalization', { interactions: [custom({ internalize: true })] }, 'nonBufferableTokensUsed'],
    ['a call of the relayer', { interactions: [custom(call(relayer))] }, 'driverError'],
    ['a call of the settlement contract', { postInteractions: [call(settlement)] }, 'driverError'],
    ['an allowance for the relayer', { interactions: [custom(allowance(relayer))] }, 'driverError'],
    ['an approval', { preInteractions: [call(dollar, '0x095ea7b300')] }, 'driverError'],
    ['an unknown pool', { interactions: [swap] }, 'driverError'],
    [
      'too much calldata',
      { interactions: [custom({ callData: `0x${'00'.repeat(100_000)}` })] },
      'driverError',
    ],
  ])('%s', (_, more, kind) => {
    expect(proposed(more)).toMatchObject({ kind, reason: expect.stringMatching(/\w{3}/) })
  })
})

test('an allowance ends with the interactions', () => {
  const proposal = proposed({ interactions: [custom(allowance(router))] })
  if ('kind' in proposal) throw new Error(proposal.reason)
  expect(proposal.interactions).toEqual([
    approveCall(dollar, router, 0n),
    approveCall(dollar, router, 9n),
    { target: router, value: 0n, callData: '0x' },
    approveCall(dollar, router, 0n),
  ])
})

test('a solver that is late has to be in time twice as often as before', () => {
  const punctuality = createPunctuality()
  const timesUntilPunctual = () => {
    let times = 0
    while (!punctuality.isPunctual() && times < 100) {
      punctuality.answered(true)
      times++
    }
    return times
  }
  expect(timesUntilPunctual()).toBe(1)
  const times = [1, 2, 3].map(() => {
    punctuality.answered(false)
    punctuality.answered(false)
    return timesUntilPunctual()
  })
  expect(times).toEqual([2, 4, 8])
})
