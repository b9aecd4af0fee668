import fc from 'fast-check'
import { expect, it } from 'vitest'
import { jsonSpelling } from '../../src/domain/json-text.ts'

it('finds nothing in what JSON.stringify writes, and every number that is not digits', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.integer({ min: 0, max: 2 }), (value, spaces) => {
      const { twice, notDigits } = jsonSpelling(JSON.stringify(value, null, spaces))
      expect(twice).toBeUndefined()
      expect([...notDigits].sort()).toEqual([...new Set(numbersIn(value, ''))].sort())
    }),
  )
})

it('finds a member that any object has twice, whatever stands around it', () => {
  const name = fc.string()
  fc.assert(
    fc.property(fc.jsonValue(), name, fc.jsonValue(), (before, twice, between) => {
      const member = JSON.stringify(twice)
      const object = `{"other":0,${member}:${JSON.stringify(between)},${member} : null}`
      const text = `[${JSON.stringify(before)},{"a":${object}}]`
      expect(JSON.parse(text)).toBeDefined()
      expect(jsonSpelling(text).twice).toBe(`[1].a.${twice}`)
    }),
  )
})

function numbersIn(value: unknown, path: string): string[] {
  if (typeof value === 'number') return /^\d+$/.test(JSON.stringify(value)) ? [] : [path]
  if (Array.isArray(value)) return value.flatMap((item, index) => numbersIn(item, `${path}[${index}]`))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, item]) => numbersIn(item, path ? `${path}.${key}` : key))
}
