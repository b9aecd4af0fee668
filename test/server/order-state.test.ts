import { expect, test } from 'vitest'
import { stateOf } from '../../src/server/pages/browser/view/orders.ts'

const cases: [Parameters<typeof stateOf>, text: string][] = [
  [[{ status: 'OPEN', executedFraction: '0' }, undefined], 'Open, not filled yet'],
  [[{ status: 'OPEN', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Not offered any more'],
  [[{ status: 'OPEN', executedFraction: '0.4' }, 'EXPIRES_TOO_SOON'], 'Not offered any more, 40 % filled'],
  [[{ status: 'PRESIGNATURE_PENDING', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Not offered any more'],
  [[{ status: 'OPEN', executedFraction: '0' }, 'NEVER_TRADABLE'], 'Cannot be filled'],
  [[{ status: 'EXPIRED', executedFraction: '0' }, 'EXPIRES_TOO_SOON'], 'Expired, not filled'],
]

test.each(cases)('the badge of %j says %s', (order, text) => {
  expect(stateOf(...order).text).toBe(text)
})
