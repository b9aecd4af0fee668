import { expect, test } from 'vitest'
import { createDeliverySlots } from '../../../src/notifications/delivery/turn.ts'

/** Places that are free: quick ones, slow ones. */
function freeOf(places: ReturnType<typeof createDeliverySlots>, kind = 'webhook') {
  const lane = (isSlow: boolean) =>
    places.free().find((lane) => lane.kind === kind && lane.isSlow === isSlow)?.places ?? 0
  return [lane(false), lane(true)]
}
const times = <T>(n: number, make: () => T) => Array.from({ length: n }, make)

test('slow receivers take no place from quick ones, and kinds none from each other', () => {
  const places = createDeliverySlots(['webhook', 'email'])
  expect(freeOf(places)).toEqual([64, 64])
  times(63, () => places.take('webhook', true))
  expect(freeOf(places)).toEqual([64, 1])
  expect(places.isFull()).toBe(false)
  times(2, () => places.take('webhook', false))
  const last = places.take('webhook', true)
  expect(freeOf(places)).toEqual([62, 0])
  expect(places.isFull()).toBe(true)
  expect(freeOf(places, 'email')).toEqual([64, 64])
  last.leave()
  expect(freeOf(places)).toEqual([62, 1])
  expect(places.isFull()).toBe(false)
})

test('one that is waited for gives its place to another, once', () => {
  const places = createDeliverySlots(['webhook'])
  const [first] = times(64, () => places.take('webhook', false))
  expect(freeOf(places)).toEqual([0, 64])
  first?.yield()
  first?.yield()
  expect(freeOf(places)).toEqual([1, 64])
  first?.leave()
  expect(freeOf(places)).toEqual([1, 64])
})

test('a slow one keeps its place while it is waited for', () => {
  const places = createDeliverySlots(['webhook'])
  const slow = places.take('webhook', true)
  slow.yield()
  expect(freeOf(places)).toEqual([64, 63])
  slow.leave()
  expect(freeOf(places)).toEqual([64, 64])
})

test('the turns of a kind are bounded with those that are waited for', () => {
  const places = createDeliverySlots(['webhook'])
  const waited = times(400, () => {
    const place = places.take('webhook', false)
    place.yield()
    return place
  })
  expect(freeOf(places)).toEqual([64, 48])
  times(40, () => places.take('webhook', true))
  expect(freeOf(places)).toEqual([64, 8])
  times(64, () => places.take('webhook', false))
  expect(freeOf(places)).toEqual([0, 8])
  for (const place of times(8, () => places.take('webhook', true))) place.yield()
  expect(freeOf(places)).toEqual([0, 0])
  for (const place of waited) place.leave()
  expect(freeOf(places)).toEqual([0, 16])
})

test('all turns of a kind may be waited for, and none more begins', () => {
  const places = createDeliverySlots(['webhook'])
  times(500, () => places.take('webhook', false).yield())
  expect(freeOf(places)).toEqual([12, 0])
  times(12, () => places.take('webhook', false))
  expect(freeOf(places)).toEqual([0, 0])
})

test('a kind that is not sent to has no places', () => {
  expect(() => createDeliverySlots(['email']).take('push', false)).toThrow(
    new RangeError('no places for push'),
  )
  expect(createDeliverySlots([]).isFull()).toBe(false)
})
