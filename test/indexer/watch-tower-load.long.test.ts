import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { PollAnswer } from '../../src/chain/order/programmatic-poll.ts'
import { Refusal } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { decodeInput, encodeStaticInput, type TwapInput } from '../../src/domain/programmatic/static-input.ts'
import { twapAt } from '../../src/domain/programmatic/twap.ts'
import { runWatchTower } from '../../src/indexer/watch-tower.ts'
import type { PollLane } from '../../src/storage/chain/programmatic-polls.ts'
import { scheduled, twapHandler, twapInput, word } from '../domain/programmatic/vectors.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { unlimited } from '../fakes/tower.ts'
import { connectDirectly, createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'

const base = 1_800_000_000
const network = { ...sampleNetwork, blockTimeMs: 1_000 }
/** Seconds of a part. */
const t = 6
const parts = 7
/** Parts that are placed before the hostile owners come. */
const alone = 3
/** Calls that the node runs at a time. */
const cores = 4
const ownCallMs = 20
const hostileCallMs = 250

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterAll(() => database?.[Symbol.asyncDispose]())

const [honest, late, hostile] = [1, 2, 3].map(
  (group) => (index: number) => address(`0x${(group * 1_000_000 + index).toString(16).padStart(40, '0')}`),
) as [(index: number) => Address, (index: number) => Address, (index: number) => Address]

const bytes = (hex: string) => Buffer.from(hex.slice(2), 'hex')

/** Authorised orders of owners, each with so many of its own. */
async function insert(
  orders: readonly { owner: Address; type: string; handler: Address; input: Buffer; salt: number }[],
): Promise<void> {
  const client = await connectDirectly(database.url)
  await client.query(
    `INSERT INTO programmatic_orders (chain_id, owner, hash, handler, salt, static_input, created_block, type, looked_block, context)
      SELECT $1, n.owner, sha256(n.owner || n.salt), n.handler, n.salt, n.input, 1, n.type, 1, decode(repeat('00', 32), 'hex')
      FROM unnest($2::bytea[], $3::bytea[], $4::bytea[], $5::bytea[], $6::text[]) AS n(owner, handler, salt, input, type)`,
    [
      network.chainId,
      orders.map(({ owner }) => bytes(owner)),
      orders.map(({ handler }) => bytes(handler)),
      orders.map(({ salt }) => bytes(word(salt))),
      orders.map(({ input }) => input),
      orders.map(({ type }) => type),
    ],
  )
  await client.end()
}

const twap = (owner: Address, salt: number, change: Partial<TwapInput>) => ({
  owner,
  salt,
  type: 'TWAP',
  handler: twapHandler,
  input: bytes(encodeStaticInput('TWAP', twapInput(change))),
})

/** What the code of hostile owners does, in turn with the number of the poll. */
const tricks: ((turn: number, now: number) => PollAnswer)[] = [
  (turn) => ({ fault: turn % 2 ? { error: 'OrderNotValid', message: 'no' } : { error: 'Empty' } }),
  (turn) => ({ fault: turn % 2 ? { error: 'SingleOrderNotAuthed' } : { error: 'Empty' } }),
  (turn) => (turn % 2 ? { exceeded: 'time' } : { exceeded: 'size' }),
  (turn, now) => ({ fault: { error: 'PollTryAtEpoch', message: String(turn), at: BigInt(now + 1) } }),
  () => ({ fault: { error: 'PollTryNextBlock', message: 'again' } }),
  (turn) => ({ fault: turn % 2 ? { error: 'PollTryNextBlock', message: '' } : { error: 'Empty' } }),
]

test('1,000 hostile owners with 10 orders each make parts that are due by arithmetic no later', async () => {
  const began = Date.now()
  const head = () => {
    const seconds = Math.floor((Date.now() - began) / 1_000)
    const hash = word(seconds)
    return { number: 100 + seconds, timestamp: base + seconds, hash, parentHash: hash }
  }
  const node = createNode()
  const hostilePolls = new Map<Address, number>()
  const isHostile = (owner: Address) => owner >= hostile(0)
  /** Seconds after its start at which each part was placed, by owner. */
  const lateness = new Map<Address, number[]>()
  const ending = new AbortController()
  const running = runWatchTower(
    {
      network,
      db: database.db,
      log: silentLog,
      atOnce: 4,
      budgets: unlimited,
      head: async () => head(),
      async poll(owner, params) {
        const turn = hostilePolls.get(owner) ?? 0
        if (isHostile(owner)) hostilePolls.set(owner, turn + 1)
        await node(isHostile(owner) ? hostileCallMs : ownCallMs)
        const decoded = decodeInput(network.chainId, params)
        const now = head().timestamp
        if (decoded.type !== 'TWAP' || !decoded.input)
          return tricks[Number(BigInt(owner) % BigInt(tricks.length))]?.(turn, now) ?? expect.fail()
        const answer = twapAt(scheduled(decoded.input), now)
        if (answer.state !== 'part') return { fault: { error: 'PollTryNextBlock', message: '' } }
        return { part: { order: answer.part.order, signature: '0x' } }
      },
      async place({ from, validTo }, _lane?: PollLane) {
        const owner = from ?? expect.fail()
        await node(isHostile(owner) ? hostileCallMs : ownCallMs)
        if (isHostile(owner)) throw new Refusal('InvalidEip1271Signature', 'its wallet says no')
        const known = lateness.get(owner) ?? []
        lateness.set(owner, [...known, head().timestamp - (validTo - t + 1)])
        return '0x'
      },
      meter: { polled() {}, placed() {}, late() {} },
    },
    ending.signal,
  )
  try {
    const owners = Array.from({ length: 30 }, (_, index) => honest(index))
    const first = (head().timestamp - base + 3) % t
    await insert(
      owners.map((owner, index) =>
        twap(owner, 1, { t0: BigInt(base + first + (index % t)), n: BigInt(parts), t: BigInt(t) }),
      ),
    )
    const placed = (group: readonly Address[], count: number) =>
      group.every((owner) => (lateness.get(owner)?.length ?? 0) >= count)
    await eventually('parts are placed alone', () => placed(owners, alone), 60_000)
    const before = new Map(owners.map((owner) => [owner, lateness.get(owner)?.length ?? 0]))
    await insert(
      Array.from({ length: 10_000 }, (_, index) => {
        const owner = hostile(Math.floor(index / 10))
        if (index % 70 < 10)
          return twap(owner, index % 10, { t0: BigInt(base), n: 1_000n, t: BigInt(2 + (index % 10)) })
        return { owner, salt: index % 10, type: 'Unknown', handler: owner, input: Buffer.alloc(0) }
      }),
    )
    const newcomer = late(0)
    await insert([twap(newcomer, 1, { t0: BigInt(head().timestamp + 2), n: 1_000n, t: BigInt(t) })])
    await eventually('all parts are placed', () => placed(owners, parts), 120_000)
    await eventually('a part of a new owner is placed', () => lateness.has(newcomer), 120_000)
    const worst = (from: (owner: Address) => [number, number | undefined]) =>
      Math.max(...owners.flatMap((owner) => lateness.get(owner)?.slice(...from(owner)) ?? []))
    const worstAlone = worst((owner) => [0, before.get(owner)])
    const worstAmong = worst((owner) => [before.get(owner) ?? 0, undefined])
    const polls = [...hostilePolls.values()].reduce((sum, each) => sum + each, 0)
    const figures = { worstAlone, worstAmong, polls, polled: hostilePolls.size, late: lateness.get(newcomer) }
    if (process.env.LOAD_FIGURES) process.stdout.write(`${JSON.stringify(figures)}\n`)
    expect(owners.map((owner) => lateness.get(owner)?.length)).toEqual(owners.map(() => parts))
    expect(worstAmong).toBeLessThanOrEqual(worstAlone + 5)
    // They are polled too, each less often.
    expect(hostilePolls.size).toBeGreaterThan(50)
  } finally {
    ending.abort()
    await running
  }
}, 400_000)

/** A node that runs so many calls at a time, the others one after the other. */
function createNode() {
  const running = new Set<Promise<void>>()
  return async (ms: number) => {
    while (running.size >= cores) await Promise.race(running)
    const call: Promise<void> = pause(ms).finally(() => running.delete(call))
    running.add(call)
    await call
  }
}
