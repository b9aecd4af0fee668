import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Outage, type Refusal } from '../../src/domain/errors/error.ts'
import {
  createFeed,
  type Feed,
  type FeedLimits,
  type StreamRequest,
  streamFeed,
} from '../../src/notifications/feed.ts'
import type { Follower } from '../../src/notifications/feed-follower.ts'
import { createStoredFeed } from '../fakes/feed-port.ts'
import { wholeEntries } from '../fakes/feed-reading.ts'
import { silentLog } from '../fakes/silent-log.ts'

type Stored = ReturnType<typeof createStoredFeed>
interface Text {
  text: string
  bytes: number
}

const opened: Feed[] = []
// A feed polls and stops by the clock, which stands still here. Its short pauses are real.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
})
afterEach(() => {
  for (const feed of opened.splice(0)) feed.close()
  vi.useRealTimers()
})

function open(limits: Partial<FeedLimits> = {}) {
  const stored = createStoredFeed()
  const warnings: unknown[] = []
  const log = { ...silentLog, warn: (...line: unknown[]) => void warnings.push(line) }
  const feed = createFeed({ port: stored.port, signals: stored.signals, log, limits })
  opened.push(feed)
  return { stored, feed, warnings }
}

interface Reader {
  follower: Follower<Text>
  wakes: number
  faults: unknown[]
}

async function follow(
  { stored, feed }: { stored: Stored; feed: Feed },
  key: string,
  after: string | null,
  { rendering = 'texts', weight = 1 } = {},
): Promise<Reader> {
  const reader = { wakes: 0, faults: [] as unknown[] }
  const follower = await feed.follow<Text>({
    key,
    after,
    client: 'client',
    rendering: {
      key: rendering,
      texts: stored.texts,
      weight,
      render: (text) => ({ text, bytes: text.length }),
    },
    sink: { wake: () => void reader.wakes++, fail: (fault) => void reader.faults.push(fault) },
  })
  return Object.assign(reader, { follower })
}

/** By probes, since the clock stands still. */
async function until(probe: () => boolean, max = 300): Promise<void> {
  for (let probes = 0; !probe(); probes++) {
    if (probes === max) throw new Error(`not after ${max} probes`)
    await pause(2)
  }
}

/** Longer than what is due takes. */
const rest = () => pause(40)

/** The next entries, as many as these. */
async function taken({ follower }: Reader, count: number): Promise<string[]> {
  const texts: string[] = []
  await until(() => {
    for (let next = follower.take(); next; next = follower.take()) texts.push(next.rendered.text)
    return texts.length >= count
  })
  return texts
}

const numbered = (key: string, first: number, count: number) =>
  Array.from({ length: count }, (_, index) => `${key}${first + index}`)

describe('new entries', () => {
  test('come by a signal of their key, or one after a gap in the signals, and with the next poll without any', async () => {
    const world = open()
    const { stored } = world
    const reader = await follow(world, 'a', null)
    stored.store('a')
    stored.tell('a')
    expect(await taken(reader, 1)).toEqual(['a2'])
    stored.store('a')
    stored.tell(undefined)
    expect(await taken(reader, 1)).toEqual(['a3'])
    stored.store('a')
    const reads = stored.reads.new.length
    stored.tell('b')
    await rest()
    vi.advanceTimersByTime(999)
    expect(stored.reads.new).toHaveLength(reads)
    vi.advanceTimersByTime(1_001)
    expect(await taken(reader, 1)).toEqual(['a4'])
    expect(reader.follower.place).toBe(4n)
  })

  test('of other keys move no one', async () => {
    const world = open()
    const [reader, other] = [await follow(world, 'a', null), await follow(world, 'b', null)]
    world.stored.store('a')
    world.stored.store('b')
    world.stored.tell('a')
    expect([await taken(reader, 1), await taken(other, 1)]).toEqual([['a2'], ['b3']])
    expect(reader.follower.take()).toBeUndefined()
  })

  test('of many batches are read at once, each after the one before', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    const { stored } = world
    stored.reads.new = []
    stored.store('a', 2_500)
    stored.tell('a')
    expect(await taken(reader, 2_500)).toEqual(numbered('a', 2, 2_500))
    expect(stored.reads.new).toEqual([1n, 1_001n, 2_001n])
    stored.store('b')
    stored.tell('a')
    await until(() => stored.reads.new.length === 4)
    stored.tell('a')
    await until(() => stored.reads.new.length === 5)
    expect(stored.reads.new.slice(3)).toEqual([2_501n, 2_502n])
  })

  test('signalled while one read runs come with one more', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    const { stored } = world
    stored.reads.new = []
    let release = () => {}
    stored.held = new Promise((resolve) => {
      release = resolve
    })
    stored.tell('a')
    await until(() => stored.reads.new.length === 1)
    stored.store('a')
    for (let signal = 0; signal < 3; signal++) stored.tell('a')
    release()
    expect(await taken(reader, 1)).toEqual(['a2'])
    await rest()
    expect(stored.reads.new).toEqual([1n, 1n])
  })

  test('come after a read that failed, which is logged', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    world.stored.faults.new.push(new Error('away'))
    world.stored.store('a')
    world.stored.tell('a')
    await until(() => world.warnings.length === 1)
    expect(world.warnings).toEqual([['feed: reading failed, trying again soon', { cause: 'Error: away' }]])
    vi.advanceTimersByTime(2_000)
    expect(await taken(reader, 1)).toEqual(['a2'])
  })

  test('that are gone when their texts are read are left out', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    world.stored.gone.add(2n)
    world.stored.store('a', 2)
    world.stored.tell('a')
    expect(await taken(reader, 1)).toEqual(['a3'])
  })

  test('have a lag, which ends with the next read', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    world.stored.store('a', 1, 1_500)
    world.stored.tell('a')
    await taken(reader, 1)
    expect(world.feed.state()).toEqual({ followers: 1, behind: 0, lagSeconds: 1.5 })
    world.stored.tell('a')
    await until(() => world.feed.state().lagSeconds === 0)
  })
})

describe('one that starts behind the memory', () => {
  test('reads pages until it is at the present, and has each entry once', async () => {
    const world = open()
    const { stored, feed } = world
    stored.store('a', 150)
    const reader = await follow(world, 'a', '1')
    expect([reader.follower.take(), feed.state()]).toMatchObject([undefined, { followers: 1, behind: 1 }])
    await until(() => reader.wakes === 1)
    expect(feed.state().behind).toBe(1)
    expect(await taken(reader, 150)).toEqual(numbered('a', 2, 150))
    expect(feed.state().behind).toBe(0)
    expect(stored.reads.pages).toEqual([[1n], [65n], [129n]])
    stored.store('a')
    stored.tell('a')
    expect(await taken(reader, 1)).toEqual(['a152'])
    expect(stored.reads.pages).toHaveLength(3)
  })

  test('is at the present after its last page', async () => {
    const world = open()
    world.stored.store('a', 3)
    world.stored.store('b', 5)
    const reader = await follow(world, 'a', '1')
    expect(await taken(reader, 3)).toEqual(numbered('a', 2, 3))
    expect([reader.follower.take(), reader.follower.place]).toEqual([undefined, 9n])
    expect(world.stored.reads.pages).toHaveLength(1)
  })

  test('shares a page with those that are not farther behind; those of other keys are read with it', async () => {
    const world = open()
    const { stored } = world
    stored.store('a', 4)
    stored.store('b', 2)
    const [first, second] = [await follow(world, 'a', '2'), await follow(world, 'a', '3')]
    const [far, other] = [await follow(world, 'a', '1'), await follow(world, 'b', '1')]
    // The first to ask waits a little for the others.
    for (const { follower } of [first, second, far, other]) follower.take()
    expect([await taken(first, 3), await taken(second, 2)]).toEqual([numbered('a', 3, 3), ['a4', 'a5']])
    expect([await taken(far, 4), await taken(other, 2)]).toEqual([numbered('a', 2, 4), ['b6', 'b7']])
    expect(stored.reads.pages).toEqual([[2n, 1n], [1n]])
  })

  test('reads fewer entries at once where each is large', async () => {
    const world = open()
    const { stored } = world
    stored.store('a', 25)
    stored.store('b', 5)
    const large = { weight: 3_000 }
    const readers = [await follow(world, 'a', '1', large), await follow(world, 'b', '1', large)]
    for (const { follower } of readers) follower.take()
    const [a, b] = readers as [Reader, Reader]
    expect([await taken(a, 25), await taken(b, 5)]).toEqual([numbered('a', 2, 25), numbered('b', 27, 5)])
    // Ten entries: a page of one key.
    expect(stored.reads.pages.map((page) => page.length)).toEqual([1, 1, 1, 1])
    stored.reads.texts = []
    stored.store('a', 25)
    stored.tell('a')
    expect(await taken(a, 25)).toEqual(numbered('a', 32, 25))
    expect(Math.max(...stored.reads.texts.map((places) => places.length))).toBe(10)
    expect(stored.reads.texts.flat()).toHaveLength(25)
  })

  test('fails where the database refuses its page', async () => {
    const world = open()
    const { stored } = world
    stored.store('a', 4)
    const reader = await follow(world, 'a', '1')
    const fault = new Error('refused')
    stored.faults.pages.push(fault)
    reader.follower.take()
    await until(() => reader.faults.length === 1)
    expect([reader.faults, reader.wakes, world.feed.state().behind]).toEqual([[fault], 0, 0])
    const again = await follow(world, 'a', '1')
    expect(await taken(again, 4)).toEqual(numbered('a', 2, 4))
  })

  test('is at the present after a page without entries', async () => {
    const world = open()
    world.stored.store('b', 5)
    const reader = await follow(world, 'a', '2')
    reader.follower.take()
    await until(() => reader.wakes === 1)
    expect([reader.follower.take(), reader.follower.place]).toEqual([undefined, 6n])
    expect(world.feed.state().behind).toBe(0)
  })

  test('has an entry once that was stored between the reading of the feed and that of its page', async () => {
    const world = open()
    const { stored } = world
    stored.store('a', 2)
    const reader = await follow(world, 'a', '2')
    stored.store('a')
    expect(await taken(reader, 2)).toEqual(['a3', 'a4'])
    stored.store('a')
    stored.tell('a')
    expect(await taken(reader, 1)).toEqual(['a5'])
    expect(reader.follower.place).toBe(5n)
  })

  test('fails where entries behind its place were removed, and learns from where it could go on', async () => {
    const world = open()
    world.stored.store('a', 9)
    world.stored.keptFrom = 7n
    const reader = await follow(world, 'a', '3')
    reader.follower.take()
    await until(() => reader.faults.length === 1)
    const { name, code, field, ending } = reader.faults[0] as Refusal
    expect({ name, code, field, ending }).toEqual({
      name: 'Refusal',
      code: 'FeedGap',
      field: 'after',
      ending: { reason: 'GAP', cursor: '7' },
    })
    expect(world.feed.state().behind).toBe(0)
  })

  test('because it took nothing for long reads pages again', async () => {
    const world = open({ entries: 3 })
    const { stored } = world
    const [reader, quick] = [await follow(world, 'a', null), await follow(world, 'a', null)]
    for (let entry = 0; entry < 10; entry++) {
      stored.store('a')
      stored.tell('a')
      await taken(quick, 1)
      if (entry === 0) expect(await taken(reader, 1)).toEqual(['a2'])
      vi.advanceTimersByTime(20)
    }
    expect(stored.reads.pages).toEqual([])
    expect(await taken(reader, 9)).toEqual(numbered('a', 3, 9))
    expect(stored.reads.pages).toEqual([[2n]])
  })
})

describe('one whose entries are in memory', () => {
  test('reads no page; texts that no one has are read 64 at a time', async () => {
    const world = open()
    const { stored } = world
    const other = await follow(world, 'b', null)
    stored.store('a', 100)
    stored.store('b')
    stored.tell('b')
    await taken(other, 1)
    stored.reads.texts = []
    const reader = await follow(world, 'a', '1')
    expect(await taken(reader, 100)).toEqual(numbered('a', 2, 100))
    expect(stored.reads.pages).toEqual([])
    expect(stored.reads.texts.map((places) => [places[0], places.length])).toEqual([
      [2n, 64],
      [66n, 36],
    ])
  })

  test('shares texts with all of the same selection, and only with these', async () => {
    const world = open()
    const { stored } = world
    const readers = [await follow(world, 'a', null), await follow(world, 'a', null)]
    const other = await follow(world, 'a', null, { rendering: 'other texts' })
    stored.store('a')
    stored.tell('a')
    for (const reader of [...readers, other]) expect(await taken(reader, 1)).toEqual(['a2'])
    expect(stored.reads.texts).toEqual([[2n], [2n]])
    readers[0]?.follower.close()
    stored.store('a')
    stored.tell('a')
    for (const reader of [...readers.slice(1), other]) expect(await taken(reader, 1)).toEqual(['a3'])
    // What was made for the selection stays while it has a follower.
    const late = await follow(world, 'a', '2')
    expect(await taken(late, 1)).toEqual(['a3'])
    expect(stored.reads.texts).toHaveLength(4)
    for (const { follower } of [...readers, other, late]) follower.close()
    const again = await follow(world, 'a', '2')
    expect(await taken(again, 1)).toEqual(['a3'])
    expect(stored.reads.texts).toHaveLength(5)
  })

  test('fails where the database refuses its texts', async () => {
    const world = open()
    const reader = await follow(world, 'a', null)
    const other = await follow(world, 'b', null)
    const fault = new Error('refused')
    world.stored.faults.texts.push(fault)
    world.stored.store('a')
    world.stored.tell('a')
    await until(() => reader.faults.length === 1)
    expect([reader.faults, other.faults]).toEqual([[fault], []])
  })
})

test('a database that is away delays entries', async () => {
  const world = open()
  const reader = await follow(world, 'a', null)
  world.stored.faults.texts.push(new Outage('the database'))
  world.stored.store('a')
  world.stored.tell('a')
  await until(() => reader.follower.take()?.rendered.text === 'a2', 1_000)
  expect([reader.faults, world.stored.reads.texts]).toEqual([[], [[2n], [2n]]])
})

describe('a stream', () => {
  const stream = ({ feed }: { feed: Feed }, more: Partial<StreamRequest> = {}) =>
    streamFeed(feed, {
      key: 'a',
      after: null,
      client: 'client',
      reading: wholeEntries,
      weight: 1,
      signal: new AbortController().signal,
      ...more,
    })

  test('fails with its follower, and leaves the feed', async () => {
    const world = open()
    const events = stream(world, { after: '1' })
    world.stored.store('a', 2)
    expect((await events.next()).value).toEqual({ cursor: '2', text: 'a2', bytes: 4 })
    await events.next()
    world.stored.faults.texts.push(new Error('refused'))
    const next = events.next()
    world.stored.store('a')
    world.stored.tell('a')
    await expect(next).rejects.toThrow('refused')
    expect(world.feed.state().followers).toBe(0)
  })

  test('leaves the feed when it is left, and when it is aborted', async () => {
    const world = open()
    world.stored.store('a')
    const left = stream(world, { after: '1' })
    await left.next()
    const stop = new AbortController()
    const aborted = stream(world, { after: '1', signal: stop.signal })
    await aborted.next()
    const last = aborted.next()
    await left.return()
    expect(world.feed.state().followers).toBe(1)
    stop.abort()
    expect(await last).toEqual({ done: true, value: undefined })
    expect(world.feed.state().followers).toBe(0)
  })
})

describe('a start', () => {
  test('at the present reads once more, as does one ahead of what was read; others read nothing', async () => {
    const world = open()
    const { stored } = world
    stored.store('a', 3)
    expect((await follow(world, 'a', null)).follower.place).toBe(4n)
    expect(stored.reads.new).toEqual([2n ** 63n - 1n, 4n])
    await follow(world, 'a', '4')
    expect(stored.reads.new).toHaveLength(2)
    stored.store('a')
    expect((await follow(world, 'a', '5')).follower.place).toBe(5n)
    await expect(follow(world, 'a', '6')).rejects.toMatchObject({ code: 'InvalidParameter', field: 'after' })
    expect(stored.reads.new).toEqual([2n ** 63n - 1n, 4n, 4n, 5n])
    expect(world.feed.state().followers).toBe(3)
  })

  test('that fails leaves no follower, and the next one may succeed', async () => {
    const world = open()
    world.stored.faults.new.push(new Error('away'))
    await expect(follow(world, 'a', null)).rejects.toThrow('away')
    expect(world.feed.state().followers).toBe(0)
    expect((await follow(world, 'a', null)).follower.place).toBe(1n)
  })
})

describe('a feed without followers', () => {
  test('reads no signals, polls for a minute, and stands still then until one comes', async () => {
    const world = open()
    const { stored } = world
    const [reader, other] = [await follow(world, 'a', null), await follow(world, 'a', null)]
    const polls = async (ms: number) => {
      const before = stored.reads.new.length
      vi.advanceTimersByTime(ms)
      await rest()
      return stored.reads.new.length - before
    }
    reader.follower.close()
    reader.follower.close()
    await polls(120_000)
    expect(await polls(1_000)).toBeGreaterThan(0)
    other.follower.close()
    const before = stored.reads.new.length
    stored.tell('a')
    stored.tell(undefined)
    await rest()
    expect(stored.reads.new).toHaveLength(before)
    expect(await polls(58_000)).toBeGreaterThan(0)
    expect(await polls(1_000)).toBe(1)
    expect(await polls(1_000)).toBe(0)
    expect(await polls(10_000)).toBe(0)

    stored.store('a', 2)
    const again = await follow(world, 'a', null)
    expect(again.follower.place).toBe(3n)
    expect(stored.reads.new.at(-2)).toBe(2n ** 63n - 1n)
    stored.store('a')
    stored.tell('a')
    expect(await taken(again, 1)).toEqual(['a4'])
  })

  test('that is closed reads nothing any more', async () => {
    const world = open()
    await follow(world, 'a', null)
    const before = world.stored.reads.new.length
    world.feed.close()
    world.stored.tell('a')
    vi.advanceTimersByTime(10_000)
    await rest()
    expect(world.stored.reads.new).toHaveLength(before)
  })
})

test('one that was closed takes nothing more of its page', async () => {
  const world = open()
  world.stored.store('a', 3)
  const reader = await follow(world, 'a', '1')
  reader.follower.take()
  await until(() => reader.wakes === 1)
  reader.follower.close()
  expect([reader.follower.take(), world.feed.state()]).toMatchObject([undefined, { followers: 0, behind: 0 }])
})
