import { expect, test } from 'vitest'
import { stepLine, stepOf } from '../../../src/app/commands/order-text.ts'
import { eventWords } from '../../../src/domain/order/event-words.ts'

const event = { label: 'FILTERED', reason: null, source: null, detail: null, txHash: null }
const timestamp = '2027-01-15T08:00:00.000Z'

test.each([
  [{ ...event, reason: 'IN_FLIGHT' }, 'FILTERED  On its way: Its trade is on the way to the chain.'],
  [
    { ...event, label: 'INVALID', reason: 'INSUFFICIENT_BALANCE' },
    'INVALID  Set aside until its owner acts: The account has too little of the sell token, or has approved too little.',
  ],
  [
    { ...event, label: 'CANCELLED', source: 'API', detail: 'nonce' },
    'CANCELLED  Cancelled: The owner cancelled the order. nonce',
  ],
  [{ ...event, label: 'READY' }, 'READY'],
  [{ ...event, label: 'EXECUTING', detail: 'late' }, 'EXECUTING  late'],
])('a line of the terminal has the words of %j', (given, line) => {
  expect(stepLine(stepOf({ ...given, timestamp }))).toBe(`2027-01-15 08:00:00 UTC  ${line}`)
})

test('machines get the codes', () => {
  const { detail } = stepOf({ ...event, reason: 'IN_FLIGHT', detail: 'auction 7', timestamp })
  expect(detail).toBe('IN_FLIGHT, auction 7')
})

test('an event of a later version has its name', () => {
  expect(eventWords({ label: 'SPLIT_UP', reason: null, source: 'toString' })).toEqual(['Split up', ''])
})
