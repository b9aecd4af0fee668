import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { parseEngineAnswer } from '../../../src/solvers/engine/client.ts'
import { toProposal } from '../../../src/solvers/engine/proposal.ts'
import { samplePool } from '../../fakes/market.ts'
import { dollar, numbered, settlement, signingDomain, wrapped } from '../../fakes/order.ts'

// Each file has an answer to `auction.json`, and what becomes of it.
const folder = path.join(import.meta.dirname, 'answers')
const files = readdirSync(folder).map((file) => path.basename(file, '.json'))

interface Golden {
  answer: unknown
  outcome: 'accepted' | 'none' | 'error' | 'malformed' | { kind: string; reason: string }
}

const limit = (max: bigint) => ({ perSettlement: max, perDay: 2n * max })
const options = {
  pools: [samplePool('01', wrapped, dollar, 10_000n)],
  settlement,
  forbidden: [settlement],
  permission: {
    limits: new Map([
      [wrapped, limit(10n ** 18n)],
      [dollar, limit(3_000n * 10n ** 6n)],
    ]),
    paid: new Map(),
  },
  jit: { domain: signingDomain, wrappedNative: wrapped, now: 1_800_000_000 },
}

function outcomeOf(answer: unknown): Golden['outcome'] {
  const parsed = parseEngineAnswer(answer)
  if ('fault' in parsed) return 'malformed'
  if ('error' in parsed) return 'error'
  const [solution] = parsed.solutions
  if (!solution) return 'none'
  const proposal = toProposal(solution, options)
  return 'kind' in proposal ? { kind: proposal.kind, reason: proposal.reason } : 'accepted'
}

describe('answers of each form', () => {
  test.each(files)('%s', (file) => {
    const golden: Golden = JSON.parse(readFileSync(path.join(folder, `${file}.json`), 'utf8'))
    expect(outcomeOf(golden.answer)).toEqual(golden.outcome)
  })

  test('without permission, those that need one are refused', () => {
    const needing = ['jit', 'internalize-swap', 'internalize-call']
    const kinds = needing.map((file) => {
      const { answer }: Golden = JSON.parse(readFileSync(path.join(folder, `${file}.json`), 'utf8'))
      const parsed = parseEngineAnswer(answer)
      if (!('solutions' in parsed) || !parsed.solutions[0]) throw new Error('malformed')
      return toProposal(parsed.solutions[0], { ...options, permission: undefined, jit: undefined })
    })
    expect(kinds).toMatchObject([
      { kind: 'driverError', reason: 'orders of the solver itself are not settled' },
      { kind: 'nonBufferableTokensUsed', extra: { tokens: [wrapped, dollar] } },
      { kind: 'nonBufferableTokensUsed', extra: { tokens: [wrapped, dollar] } },
    ])
  })
})

test('what is left out is not called, and booked as told', () => {
  const { answer }: Golden = JSON.parse(readFileSync(path.join(folder, 'internalize-call.json'), 'utf8'))
  const parsed = parseEngineAnswer(answer)
  if (!('solutions' in parsed) || !parsed.solutions[0]) throw new Error('malformed')
  const proposal = toProposal(parsed.solutions[0], options)
  expect(proposal).toMatchObject({
    interactions: [],
    internalized: new Map([
      [wrapped, 75n * 10n ** 16n],
      [dollar, -2_200_000_000n],
    ]),
  })
  // Two approvals, the call, and the end of the allowance.
  expect(
    'uninternalized' in proposal && proposal.uninternalized?.interactions.map(({ target }) => target),
  ).toEqual([wrapped, wrapped, numbered('77'), wrapped])
})
