import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonSpelling, listItems, nestsDeeper } from '../../../src/domain/text/json.ts'

it('text from JSON.stringify has no duplicates, and every number that is not only digits is found', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, spaces) => {
      const { duplicate: twice, nonDigitNumbers: notDigits } = jsonSpelling(
        JSON.stringify(value, null, spaces),
      )
      expect(twice).toBeUndefined()
      expect([...notDigits].sort()).toEqual([...new Set(numbersIn(value, ''))].sort())
    }),
  )
})

it('a duplicate member is found in any object, whatever the text around it', () => {
  const name = fc.string()
  fc.assert(
    fc.property(fc.jsonValue(), name, fc.jsonValue(), (before, twice, between) => {
      const member = JSON.stringify(twice)
      const object = `{"other":0,${member}:${JSON.stringify(between)},${member} : null}`
      const text = `[${JSON.stringify(before)},{"a":${object}}]`
      expect(JSON.parse(text)).toBeDefined()
      expect(jsonSpelling(text).duplicate).toBe(`[1].a.${twice}`)
    }),
  )
})

it('the path kept for each number is bounded, however deep the nesting or long the names', () => {
  const deep = `{"a":${'['.repeat(2_000)}${'1.5,'.repeat(1_000)}1${']'.repeat(2_000)},"metadata":{"validFrom":1.0}}`
  const long = `{"${'n'.repeat(4_000)}":[${'1.5,'.repeat(1_000)}1],"metadata":{"validFrom":1.0}}`
  for (const text of [deep, long]) {
    const { nonDigitNumbers: notDigits } = jsonSpelling(text)
    expect(notDigits).toContain('metadata.validFrom')
    expect(Math.max(...[...notDigits].map((path) => path.length))).toBeLessThan(300)
  }
  // An abridged path must not equal the path of a real member.
  expect([...jsonSpelling(`{"${'n'.repeat(41)}":1.5}`).nonDigitNumbers]).toEqual([`${'n'.repeat(40)}…`])
  expect([...jsonSpelling(`{"${'n'.repeat(40)}":1.5}`).nonDigitNumbers]).toEqual(['n'.repeat(40)])
})

it('nestsDeeper measures the nesting and ignores brackets in strings', () => {
  const nested = (levels: number) => `${'[{"a":'.repeat(levels / 2)}0${'}]'.repeat(levels / 2)}`
  for (const levels of [2, 10, 100]) {
    expect(nestsDeeper(nested(levels), levels)).toBe(false)
    expect(nestsDeeper(nested(levels), levels - 1)).toBe(true)
  }
  expect(nestsDeeper('[[[', 2)).toBe(true)
  expect(nestsDeeper(JSON.stringify({ a: '[[[["\\{{{', b: ['\\'], c: [] }), 2)).toBe(false)
  expect(nestsDeeper('[],'.repeat(1_000), 1)).toBe(false)
})

it('listItems counts the items of all lists and ignores text in strings', () => {
  const count = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 0
    const inside = Object.values(value).reduce<number>((sum, item) => sum + count(item), 0)
    return Array.isArray(value) ? value.length + inside : inside
  }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(listItems(JSON.stringify(value))).toBe(count(value))
    }),
  )
})

function numbersIn(value: unknown, path: string): string[] {
  if (typeof value === 'number') return /^\d+$/.test(JSON.stringify(value)) ? [] : [path]
  if (Array.isArray(value)) return value.flatMap((item, index) => numbersIn(item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => numbersIn(item, path ? `${path}.${key}` : key))
}
