import { describe, expect, test } from 'vitest'
import { referrerCodeOf } from '../../../src/domain/app-data/referrer-code.ts'

const naming = (code: unknown) => JSON.stringify({ metadata: { referrer: { code } } })

describe('the code that a document names', () => {
  test.each([
    ['ALPHA', 'ALPHA'],
    ['al-pha_1', 'AL-PHA_1'],
    ['A'.repeat(20), 'A'.repeat(20)],
  ])('%s is %s', (code, told) => {
    expect(referrerCodeOf(naming(code))).toBe(told)
  })

  test.each([
    ['ABCD'],
    ['A'.repeat(21)],
    ['AB CDE'],
    [' ALPHA'],
    ['ALPHA\n'],
    // Its capital would be two letters of the alphabet.
    ['alphaß'],
    // Its capital would be an S.
    ['alpha\u017f'],
    ['ALPHA\0'],
    [12345],
    [null],
    [['ALPHA']],
  ])('%j is none', (code) => {
    expect(referrerCodeOf(naming(code))).toBe(null)
  })

  test('is found however its names are written', () => {
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
  ])('there is none in %s', (document) => {
    expect(referrerCodeOf(document)).toBe(null)
  })

  test('an order without a document names none', () => {
    expect(referrerCodeOf(null)).toBe(null)
  })
})
