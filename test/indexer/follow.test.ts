import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ChainLog } from '../../src/chain/logs/chain-logs.ts'
import type { LogPosition } from '../../src/chain/logs/logs.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { packOrderUid } from '../../src/domain/order/order.ts'
import { type Checkpoint, maxLogs } from '../../src/indexer/block-range.ts'
import { type ChainStep, type ChainStreamOptions, streamChain } from '../../src/indexer/chain-stream.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { type ChainChange, createSimulatedChain } from './simulated-chain.ts'

type Simulated = ReturnType<typeof createSimulatedChain>
type Consumer = ReturnType<typeof createConsumer>

/** Builds state from steps alone, and checks the contract of every step. */
function createConsumer(firstBlock: number, { logsOf }: Simulated) {
  const hashes = new Map<number, Bytes32>()
  const steps: ChainStep[] = []
  let logs: ChainLog[] = []
  let last: number = firstBlock - 1

  function apply(step: ChainStep): void {
    steps.push(step)
    if (step.type === 'finalize') {
      expect(step.number).toBeGreaterThanOrEqual(firstBlock)
      expect(step.number).toBeLessThanOrEqual(last)
    } else if (step.type === 'reorg') {
      expect(step.to.number).toBeLessThan(last)
      expect(step.to.hash).toBe(step.to.number < firstBlock ? null : hashes.get(step.to.number))
      for (const number of hashes.keys()) if (number > step.to.number) hashes.delete(number)
      logs = logs.filter((log) => log.blockNumber <= step.to.number)
      last = step.to.number
    } else {
      for (const { number, hash, parentHash } of step.blocks) {
        const parent = hashes.get(number - 1)
        if (parent) expect(parentHash).toBe(parent)
        hashes.set(number, hash)
        expect(step.logs.filter((log) => log.blockNumber === number)).toEqual(logsOf.get(hash))
      }
      for (const log of step.logs) expect(log.blockNumber).toBeGreaterThan(last)
      logs.push(...step.logs)
      last = step.blocks.at(-1)?.number ?? last
    }
  }
  const checkpoint = (): Checkpoint | null => {
    const hash = hashes.get(last)
    return hash ? { number: last, hash } : null
  }
  return { apply, steps, checkpoint, storedHash: async (n: number) => hashes.get(n), logs: () => logs }
}

/**
 * Follows until `enough` returns true, which is called whenever the follower waits.
 * @returns the waits' counts of failures
 */
async function follow(
  { chain }: Simulated,
  consumer: Consumer,
  enough: (looks: number) => boolean,
  more: Partial<ChainStreamOptions> = {},
): Promise<number[]> {
  const stop = new AbortController()
  const waits: number[] = []
  const steps = streamChain({
    chain,
    from: consumer.checkpoint(),
    firstBlock: 0,
    storedHash: consumer.storedHash,
    finalityBlocks: 4,
    maxRange: 3,
    maxLooksBehind: 2,
    log: silentLog,
    signal: stop.signal,
    poll: async (failures) => {
      waits.push(failures)
      if (enough(waits.length)) stop.abort()
      if (waits.length > 1000) throw new Error('the follower does not come to rest')
    },
    ...more,
  })
  for await (const step of steps) consumer.apply(step)
  return waits
}

/** A chain that lost more than its followed part leaves no common block. */
function untilLevel({ blocks, isQuiet }: Simulated, consumer: Consumer, firstBlock: number) {
  return () => isQuiet() && consumer.checkpoint()?.hash === blocks.slice(firstBlock).at(-1)?.hash
}

const logCounts = fc.array(fc.integer({ min: 0, max: 2 }), { maxLength: 7 })
const change: fc.Arbitrary<ChainChange> = fc.oneof(
  fc.record({ op: fc.constant('grow' as const), logs: logCounts }),
  fc.record({ op: fc.constant('fork' as const), depth: fc.integer({ min: 1, max: 12 }), logs: logCounts }),
  fc.record({ op: fc.constant('away' as const), calls: fc.integer({ min: 1, max: 4 }) }),
  fc.record({
    op: fc.constant('lag' as const),
    blocks: fc.integer({ min: 1, max: 5 }),
    calls: fc.integer({ min: 1, max: 6 }),
  }),
)
const script = fc.array(fc.option(change, { nil: undefined, freq: 2 }), { maxLength: 60 })

describe('after any history', () => {
  test('a consumer’s state built from the steps equals the chain', async () => {
    await fc.assert(
      fc.asyncProperty(script, fc.integer({ min: 0, max: 3 }), async (changes, firstBlock) => {
        const simulated = createSimulatedChain([{ op: 'grow', logs: [1, 0, 2, 1, 0] }, ...changes])
        const consumer = createConsumer(firstBlock, simulated)
        // Another process may have stopped half-way: the second run starts from the stored checkpoint.
        await follow(simulated, consumer, (looks) => looks > 3, { firstBlock })
        simulated.apply({ op: 'grow', logs: [1, 1, 1] })
        await follow(simulated, consumer, untilLevel(simulated, consumer, firstBlock), { firstBlock })
        const canonical = simulated.blocks.slice(firstBlock).flatMap(({ logs }) => logs)
        expect(consumer.logs()).toEqual(canonical)
      }),
      { numRuns: 400 },
    )
  })
})

async function followed(length: number) {
  const simulated = createSimulatedChain()
  simulated.apply({ op: 'grow', logs: Array.from({ length }, () => 1) })
  const consumer = createConsumer(0, simulated)
  await follow(simulated, consumer, () => true)
  consumer.steps.length = 0
  simulated.calls.length = 0
  return { simulated, consumer }
}

const shape = (step: ChainStep) =>
  step.type === 'blocks'
    ? `blocks ${step.blocks.map(({ number }) => number)} logs ${step.logs.map((log) => log.blockNumber)}`
    : `${step.type} ${step.type === 'reorg' ? step.to.number : step.number}`

describe('steps', () => {
  test('backfill names the last block of a range below the horizon, and every block above it', async () => {
    const simulated = createSimulatedChain()
    simulated.apply({ op: 'grow', logs: [1, 0, 1, 1, 0, 0, 1, 0, 1] })
    const consumer = createConsumer(0, simulated)
    await follow(simulated, consumer, () => true)
    expect(consumer.steps.map(shape)).toEqual([
      'blocks 2 logs 1',
      'finalize 2',
      'blocks 5 logs 3,4',
      'finalize 5',
      'blocks 6,7,8 logs 7',
      'blocks 9 logs 9',
    ])
    expect(simulated.calls).not.toContain('block 4')
  })

  test('a fork goes back to the newest common block, then forward', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'fork', depth: 2, logs: [0, 1, 0] })
    await follow(simulated, consumer, () => true)
    expect(consumer.steps.map(shape)).toEqual(['reorg 4', 'blocks 5,6,7 logs 6', 'finalize 3'])
  })

  test('a fork deeper than every stored hash goes back to before the first block', async () => {
    const simulated = createSimulatedChain()
    simulated.apply({ op: 'grow', logs: [1, 1, 1] })
    const consumer = createConsumer(1, simulated)
    await follow(simulated, consumer, () => true, { firstBlock: 1 })
    consumer.steps.length = 0
    simulated.apply({ op: 'fork', depth: 99, logs: [1, 0] })
    await follow(simulated, consumer, () => true, { firstBlock: 1 })
    expect(consumer.steps.map(shape)).toEqual(['reorg 0', 'blocks 1,2 logs 1'])
    expect(consumer.steps[0]).toEqual({ type: 'reorg', to: { number: 0, hash: null } })
  })

  test('a chain that lost its newest blocks is accepted after the timeout, and not before', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'fork', depth: 3, logs: [] })
    await follow(simulated, consumer, (looks) => looks === 2)
    expect(consumer.steps).toEqual([])
    await follow(simulated, consumer, (looks) => looks === 3)
    expect(consumer.steps.map(shape)).toEqual(['reorg 3'])
  })

  test('a shorter chain with another head is a reorg at once', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'fork', depth: 3, logs: [0] })
    await follow(simulated, consumer, () => true)
    expect(consumer.steps.map(shape)).toEqual(['reorg 3', 'blocks 4 logs ', 'finalize 0'])
  })

  test('a node that lags behind, or is away, is waited for', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'lag', blocks: 3, calls: 2 })
    await follow(simulated, consumer, (looks) => looks === 3)
    expect(consumer.steps).toEqual([])
    simulated.apply({ op: 'away', calls: 3 })
    simulated.apply({ op: 'grow', logs: [1] })
    const waits = await follow(simulated, consumer, (looks) => looks === 4)
    expect(waits).toEqual([1, 2, 3, 0])
    expect(consumer.steps.map(shape)).toEqual(['blocks 7 logs 7', 'finalize 3'])
  })

  test('logs of another block than the header’s are read again', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'grow', logs: [1] })
    const { chain } = simulated
    let reads = 0
    const other = `0x${'ff'.repeat(32)}` as Bytes32
    const logs: typeof chain.logs = async (range) => {
      const right = await chain.logs(range)
      return reads++ > 0 ? right : right.map((log) => ({ ...log, blockHash: other }))
    }
    const waits = await follow(simulated, consumer, (looks) => looks === 2, { chain: { ...chain, logs } })
    expect(waits).toEqual([1, 0])
    expect(consumer.steps.map(shape)).toEqual(['blocks 7 logs 7', 'finalize 3'])
  })

  test('a settlement whose transaction the node does not know yet is read again', async () => {
    const { simulated, consumer } = await followed(6)
    simulated.apply({ op: 'grow', logs: [1] })
    const { chain } = simulated
    let reads = 0
    const settlements: typeof chain.settlements = async (txHashes) => {
      if (reads++ === 0) throw new Outage(`transaction ${txHashes}`)
      return chain.settlements(txHashes)
    }
    const waits = await follow(simulated, consumer, (looks) => looks === 2, {
      chain: { ...chain, settlements },
    })
    expect(waits).toEqual([1, 0])
    expect(consumer.steps.map(shape)).toEqual(['blocks 7 logs 7', 'finalize 3'])
  })

  test('a transaction that no node knows is waited for, in smaller ranges, and then its block is taken without it', async () => {
    const simulated = createSimulatedChain()
    simulated.apply({ op: 'grow', logs: [1, 1, 1, 1, 1, 1, 1, 1] })
    const unknown = simulated.blocks[2]?.logs[0]?.txHash
    const { chain } = simulated
    const settlements: typeof chain.settlements = (logged) =>
      chain.settlements(logged.filter(({ txHash }) => txHash !== unknown))
    const consumer = createConsumer(0, simulated)
    const waits = await follow(simulated, consumer, untilLevel(simulated, consumer, 0), {
      maxRange: 10,
      chain: { ...chain, settlements },
    })
    expect(waits).toEqual([1, 1, 1, 2, 3, 0])
    expect(consumer.logs()).toEqual(simulated.blocks.flatMap(({ logs }) => logs))
    const unread = consumer.steps.flatMap((step) =>
      step.type === 'blocks'
        ? step.logs.filter(({ txHash }) => !step.settlements.has(txHash)).map(({ txHash }) => txHash)
        : [],
    )
    expect(unread).toEqual([unknown])
  })

  test('a node that knows no old transaction is waited for once, and one that reads none does not stop it', async () => {
    const simulated = createSimulatedChain()
    simulated.apply({ op: 'grow', logs: Array.from({ length: 20 }, () => 1) })
    const { chain } = simulated
    const read = async (settlements: typeof chain.settlements) => {
      const consumer = createConsumer(0, simulated)
      const waits = await follow(simulated, consumer, untilLevel(simulated, consumer, 0), {
        maxRange: 10,
        chain: { ...chain, settlements },
      })
      expect(consumer.logs()).toHaveLength(20)
      return waits
    }
    const horizon = simulated.blocks.length - 1 - 4
    const waits = await read((logged) =>
      chain.settlements(logged.filter(({ blockNumber }) => blockNumber > horizon)),
    )
    expect(waits).toEqual([1, 1, 2, 3, 0])
    const never = await read(() => Promise.reject(new Outage('the network node')))
    expect(never.filter((failures) => failures === 3)).toHaveLength(20)
  })

  test('below the horizon, blocks in which expired orders are invalidated are read too', async () => {
    const uidOf = (validTo: number) =>
      packOrderUid(`0x${'cd'.repeat(32)}` as Bytes32, numbered('01'), validTo)
    // Block times are block numbers: at block 4 one order has expired and the other has not.
    const invalidated: Record<number, number> = { 2: 1, 3: 4 }
    const logAt = (place: LogPosition): ChainLog => {
      const orderUid = uidOf(invalidated[place.blockNumber] ?? 9)
      return { type: 'invalidation', ...place, owner: numbered('01'), orderUid }
    }
    const simulated = createSimulatedChain([], logAt)
    simulated.apply({ op: 'grow', logs: [1, 1, 1, 1, 0, 0] })
    const consumer = createConsumer(0, simulated)
    await follow(simulated, consumer, () => true, { maxRange: 10, finalityBlocks: 2 })
    const [old] = consumer.steps
    expect(old?.type === 'blocks' && old.headers.map(({ number }) => number)).toEqual([4, 2])
    expect(simulated.calls.filter((call) => /block [123]$/.test(call))).toEqual(['block 2'])
  })

  test('a range too large for one write is read in parts, without a wait; a large block is read whole', async () => {
    const simulated = createSimulatedChain()
    const [max, some] = [maxLogs + 1, Math.ceil(maxLogs / 2)]
    simulated.apply({ op: 'grow', logs: [some, some, 0, max, 1, 0, 0, 0, 0] })
    const consumer = createConsumer(0, simulated)
    const waits = await follow(simulated, consumer, () => true)
    expect(waits).toEqual([0])
    const sizes = consumer.steps.flatMap((step) => (step.type === 'blocks' ? [step.logs.length] : []))
    expect(sizes.filter((size) => size > 0)).toEqual([2 * some, max, 1])
    expect(consumer.logs()).toEqual(simulated.blocks.flatMap(({ logs }) => logs))
  })

  test('orders placed on chain take longer to write: fewer of them are read at once', async () => {
    const logAt = (place: LogPosition) => ({ ...place, type: 'placement' }) as ChainLog
    const simulated = createSimulatedChain([], logAt)
    const fifth = maxLogs / 5
    simulated.apply({ op: 'grow', logs: [fifth / 2, fifth / 2, 1, 3 * fifth, 1, 0, 0] })
    const consumer = createConsumer(0, simulated)
    await follow(simulated, consumer, () => true)
    const sizes = consumer.steps.flatMap((step) => (step.type === 'blocks' ? [step.logs.length] : []))
    expect(sizes.filter((size) => size > 0)).toEqual([fifth, 1, 3 * fifth, 1])
  })

  test('a range that the node cannot answer is halved, and grows again after each success', async () => {
    const simulated = createSimulatedChain()
    simulated.apply({ op: 'grow', logs: Array.from({ length: 39 }, () => 0) })
    const consumer = createConsumer(0, simulated)
    const asked: number[] = []
    const logs: typeof simulated.chain.logs = async (range) => {
      asked.push(range.to - range.from + 1)
      if (asked.length < 3) throw new Outage('the network node')
      return simulated.chain.logs(range)
    }
    const isLevel = () => consumer.checkpoint()?.number === 39
    const more = { chain: { ...simulated.chain, logs }, maxRange: 8, finalityBlocks: 8 }
    expect(await follow(simulated, consumer, isLevel, more)).toEqual([1, 2, 0])
    expect(asked).toEqual([8, 4, 2, 4, 8, 8, 8, 2, 8])
  })

  test('a fault of the program is not retried', async () => {
    const { simulated, consumer } = await followed(2)
    const storedHash = async () => Promise.reject(new TypeError('a bug'))
    simulated.apply({ op: 'fork', depth: 1, logs: [0] })
    await expect(follow(simulated, consumer, () => true, { storedHash })).rejects.toThrow('a bug')
  })
})
