import { expect, test } from 'vitest'
import {
  cancellationReason,
  exclusionLabel,
  exclusionReasons,
  isExclusion,
  orderEventLabels,
} from '../../../src/domain/order/event.ts'
import {
  competedStages,
  hasEnded,
  liveStage,
  orderStage,
  orderStages,
  orderStatuses,
  plainStage,
  type StageInput,
} from '../../../src/domain/order/status.ts'

const facts = (more: Partial<StageInput>): StageInput => ({
  status: 'open',
  hasTraded: false,
  newestEvent: 'created',
  cancelledBy: 'api',
  isSolved: false,
  ...more,
})

test.each([
  [{ newestEvent: null }, undefined],
  [{ newestEvent: null, hasTraded: true }, 'traded'],
  [{ hasTraded: true }, 'traded'],
  [{ status: 'fulfilled' }, 'traded'],
  [{ status: 'fulfilled', newestEvent: 'refunded' }, 'traded'],
  [{ status: 'cancelled' }, 'cancelled'],
  [{ status: 'cancelled', cancelledBy: 'policy' }, 'cancelled'],
  [{ status: 'cancelled', cancelledBy: 'replacement' }, 'replaced'],
  [{ status: 'cancelled', cancelledBy: 'chain' }, 'invalidated'],
  [{ status: 'cancelled', cancelledBy: 'chain', newestEvent: 'refunded' }, 'refunded'],
  [{ status: 'expired' }, 'expired'],
  [{ status: 'expired', cancelledBy: 'chain', newestEvent: 'refunded' }, 'refunded'],
  [{ status: 'presignaturePending' }, 'scheduled'],
] as const)('%j is %s', (more, stage) => {
  expect(orderStage(facts(more))).toBe(stage)
})

test('the stage of a live order follows from its newest event', () => {
  expect(
    Object.fromEntries(orderEventLabels.map((label) => [label, liveStage(false, label, false)])),
  ).toEqual({
    created: 'scheduled',
    ready: 'active',
    filtered: 'open',
    invalid: 'open',
    considered: 'active',
    executing: 'executing',
    traded: 'traded',
    cancelled: 'open',
    expired: 'open',
    refunded: 'open',
    hook_failed: 'traded',
  })
  expect(liveStage(false, 'ready', true)).toBe('solved')
  expect(liveStage(false, 'created', true)).toBe('scheduled')
})

test('stages in the words of the REST interface', () => {
  const plain = Object.fromEntries(orderStages.map((stage) => [stage, plainStage(stage, false)]))
  expect(plain).toEqual({
    open: 'open',
    scheduled: 'scheduled',
    active: 'active',
    solved: 'solved',
    executing: 'executing',
    traded: 'traded',
    cancelled: 'cancelled',
    expired: 'open',
    replaced: 'cancelled',
    invalidated: 'cancelled',
    refunded: 'cancelled',
  })
  expect(orderStages.map((stage) => plainStage(stage, true))).toEqual(orderStages.map(() => 'traded'))
  expect(competedStages).toEqual(['solved', 'executing', 'traded'])
})

test('what ended, and what excludes an order for a time or until its trader acts', () => {
  expect(orderStatuses.filter(hasEnded)).toEqual(['fulfilled', 'cancelled', 'expired'])
  expect(exclusionReasons.filter((reason) => exclusionLabel(reason) === 'filtered')).toEqual([
    'in_flight',
    'dust_order',
    'missing_native_price',
  ])
  expect([isExclusion('in_flight'), isExclusion('auction_full'), isExclusion(null)]).toEqual([
    true,
    false,
    false,
  ])
})

test('the reason of a cancellation', () => {
  const [uid, txHash] = [`0x${'77'.repeat(56)}`, `0x${'2f'.repeat(32)}`] as const
  expect([
    cancellationReason({ by: 'api' }),
    cancellationReason({ by: 'policy', reason: null }),
    cancellationReason({ by: 'policy', reason: 'a court' }),
    cancellationReason({ by: 'replacement', uid }),
    cancellationReason({ by: 'chain', blockNumber: 1, txHash }),
  ]).toEqual([null, 'policy', 'policy: a court', `replacement: ${uid}`, `chain: ${txHash}`])
})
