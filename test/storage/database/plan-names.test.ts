import { expect, test } from 'vitest'
import { createPlanNames } from '../../../src/storage/database/plan-names.ts'

const asked = (names: ReturnType<typeof createPlanNames>, text: string, times = 3) =>
  Array.from({ length: times }, () => names.nameOf(text)).at(-1)

test('a text gets a name when it is sent the third time, and keeps it', () => {
  const names = createPlanNames()
  expect([1, 2, 3, 4].map(() => names.nameOf('SELECT 1'))).toEqual([undefined, undefined, 'read0', 'read0'])
})

test('a long text is planned each time: its plan would take megabytes on every connection', () => {
  const names = createPlanNames()
  expect(asked(names, 'x'.repeat(32_769), 9)).toBeUndefined()
  expect(asked(names, 'x'.repeat(32_768))).toBe('read0')
})

test('many different texts evict idle names, and not those in use', () => {
  const names = createPlanNames()
  asked(names, 'popular')
  asked(names, 'idle')
  for (let odd = 0; odd < 60; odd++) {
    asked(names, `${odd}${'x'.repeat(20_000)}`)
    expect(names.nameOf('popular')).toBe('read0')
  }
  expect(names.nameOf('idle')).toBeUndefined()
})

test('texts that are sent once do not evict the counts of repeated ones', () => {
  const names = createPlanNames()
  for (let odd = 0; odd < 1_000; odd++) names.nameOf(`${odd}${'x'.repeat(1_000)}`)
  names.nameOf('again')
  for (let odd = 0; odd < 1_000; odd++) names.nameOf(`more ${odd}${'x'.repeat(1_000)}`)
  names.nameOf('again')
  expect(names.nameOf('again')).toBe('read0')
})

test('a connection is worn by many plans, or by few long ones; one plan counts once', () => {
  const { holdsTooManyPlans } = createPlanNames(2)
  const holds = (count: number, preparedCharacters: number) =>
    holdsTooManyPlans({
      prepared: new Set(Array.from({ length: count }, (_, index) => `plan${index}`)),
      preparedCharacters,
    })
  expect([holds(4, 100), holds(5, 100)]).toEqual([false, true])
  expect([holds(3, 1_200_000), holds(3, 1_200_001)]).toEqual([false, true])
})
