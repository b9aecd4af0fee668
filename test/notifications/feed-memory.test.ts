import { expect, test } from 'vitest'
import { FeedMemory } from '../../src/notifications/feed-memory.ts'

const large = { entries: 100, bytes: 1_000 }
const entry = (place: bigint, key = 'a') => ({ place, key, ageMs: 0 })

/** Entries a, b, a, c, a at the places 11, 12, 14, 15 and 19. */
function filled(limits = large) {
  const memory = new FeedMemory<string>(limits, 10n)
  const entries = [entry(11n), entry(12n, 'b'), entry(14n), entry(15n, 'c'), entry(19n)].map((each) =>
    memory.add(each),
  )
  return { memory, entries }
}

test('entries have numbers without gaps, and all behind the start are in memory', () => {
  const { memory, entries } = filled()
  expect(entries.map(({ seq, place, key, bytes }) => [seq, place, key, bytes])).toEqual([
    [0, 11n, 'a', 0],
    [1, 12n, 'b', 0],
    [2, 14n, 'a', 0],
    [3, 15n, 'c', 0],
    [4, 19n, 'a', 0],
  ])
  expect([memory.end, memory.covers(9n), memory.covers(10n), memory.covers(11n)]).toEqual([
    5,
    false,
    true,
    true,
  ])
  expect([memory.has(0), memory.has(-1)]).toEqual([true, false])
})

test('the next entry of a key has at least a number', () => {
  const { memory } = filled()
  const next = (key: string, seq: number) => memory.next(key, seq)?.seq
  expect([0, 1, 2, 3, 4, 5].map((seq) => next('a', seq))).toEqual([0, 2, 2, 4, 4, undefined])
  expect([0, 1, 2].map((seq) => next('b', seq))).toEqual([1, 1, undefined])
  expect(next('d', 0)).toBeUndefined()
})

test('the number of the first entry behind a place', () => {
  const { memory } = filled()
  expect([10n, 11n, 13n, 14n, 15n, 18n, 19n, 20n].map((place) => memory.seqAfter(place))).toEqual([
    0, 1, 2, 3, 4, 4, 5, 5,
  ])
})

test('the oldest entries go when there are too many', () => {
  const { memory } = filled({ entries: 3, bytes: 1_000 })
  expect([memory.end, memory.has(1), memory.has(2)]).toEqual([5, false, true])
  // What is behind the last that went is in memory.
  expect([memory.covers(11n), memory.covers(12n), memory.seqAfter(12n), memory.seqAfter(14n)]).toEqual([
    false,
    true,
    2,
    3,
  ])
  expect([memory.next('a', 0)?.seq, memory.next('b', 0)]).toEqual([2, undefined])
})

test('the oldest entries go when what was made of them is too large', () => {
  const { memory, entries } = filled({ entries: 100, bytes: 100 })
  const [first, second, third, , last] = entries
  if (!first || !second || !third || !last) throw new Error('no entries')
  memory.keep(first, 'texts', { bytes: 40 })
  memory.keep(first, 'other texts', { bytes: 20 })
  memory.keep(third, 'texts', { bytes: 40 })
  expect([first.bytes, first.rendered.get('texts'), memory.has(0)]).toEqual([60, { bytes: 40 }, true])
  memory.keep(last, 'texts', { bytes: 1 })
  // The first went with its 60: 41 are left.
  expect([memory.has(0), memory.has(1), memory.covers(10n), memory.covers(11n)]).toEqual([
    false,
    true,
    false,
    true,
  ])
  memory.keep(second, 'texts', { bytes: 59 })
  expect(memory.has(1)).toBe(true)
  // One that is gone keeps what was made of it, and takes no room.
  memory.keep(first, 'third texts', { bytes: 99 })
  expect([first.rendered.get('third texts'), first.bytes, memory.has(1)]).toEqual([{ bytes: 99 }, 60, true])
  memory.keep(last, 'other texts', undefined)
  expect([last.rendered.has('other texts'), last.bytes, memory.has(1)]).toEqual([true, 1, true])
  memory.keep(last, 'third texts', { bytes: 1 })
  expect([memory.has(1), memory.has(2)]).toEqual([false, true])
})
