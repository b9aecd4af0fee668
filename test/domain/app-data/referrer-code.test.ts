import { describe, expect, test } from 'vitest'
import { referrerCodeOf } from '../../../src/domain/app-data/document.ts'

const naming = (code: unknown) => JSON.stringify({ metadata: { referrer: { code } } })

describe('the referrer code of a document', () => {
  test.each([
    ['ALPHA', 'ALPHA'],
    ['al-pha_1', 'AL-PHA_1'],
    ['A'.repeat(20), 'A'.repeat(20)],
  ])('for %s is %s', (code, expected) => {
    expect(referrerCodeOf(naming(code))).toBe(expected)
  })

  test.each([
    ['ABCD'],
    ['A'.repeat(21)],
    ['AB CDE'],
    [' ALPHA'],
    ['ALPHA\n'],
    // Its uppercase is the two letters SS.
    ['alphaß'],
    // Its uppercase is an S.
    ['alpha\u017f'],
    ['ALPHA\0'],
    [12345],
    [null],
    [['ALPHA']],
  ])('is absent for the invalid code %j', (code) => {
    expect(referrerCodeOf(naming(code))).toBe(null)
  })

  test('is found when the member names are escaped', () => {
    expect(referrerCodeOf('{"m\\u0065tadata":{"r\\u0065ferrer":{"cod\\u0065":"ALPH\\u0041"}}}')).toBe('ALPHA')
  })

  test.each([
    ['{"metadata":{"referrer":{"address":"0x1111111111111111111111111111111111111111"}}}'],
    ['{"metadata":{"referrer":"ALPHA"}}'],
    ['{"metadata":{"referrer":null}}'],
    ['{"referrer":{"code":"ALPHA"}}'],
    ['{"metadata":["referrer"]}'],
    ['["referrer"]'],
    ['"referrer"'],
    ['no JSON about a referrer'],
    ['{}'],
  ])('is absent in %s', (document) => {
    expect(referrerCodeOf(document)).toBe(null)
  })

  test('is absent for an order without a document', () => {
    expect(referrerCodeOf(null)).toBe(null)
  })
})
