import { expect } from 'vitest'
import type { Block } from '../../src/chain/chain.ts'
import type { ChainLog, ProtocolLog } from '../../src/chain/logs/chain-logs.ts'
import type { ProgrammaticLog } from '../../src/chain/logs/programmatic-logs.ts'
import type { DecodedSettlement } from '../../src/chain/settlement/call.ts'
import type { MinedSettlements } from '../../src/chain/settlement/mined.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Fill } from '../../src/domain/fee/policy.ts'
import type { Order } from '../../src/domain/order/order.ts'
import type { BlockRange } from '../../src/indexer/block-range.ts'
import { followProgrammaticOrders, type ProgrammaticReading } from '../../src/indexer/late/programmatic.ts'
import { timesOf } from '../../src/indexer/programmatic-orders.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'

type Sketched = ProtocolLog | ProgrammaticLog
type Unplaced<Log> = Log extends Sketched ? Omit<Log, 'blockNumber' | 'blockHash' | 'logIndex'> : never
/** A log that is in no block yet. */
export type LogSketch = Unplaced<Sketched>

export interface SketchedBlock {
  block: Block
  logs: Sketched[]
}

export const hashOf = (text: string): Bytes32 => keccakText(text)

/** A block with these logs, in this order; `branch` distinguishes blocks of one number. */
export function sketchBlock(
  number: number,
  sketches: readonly LogSketch[],
  { branch = 'a', timestamp = 1_000 + number } = {},
): SketchedBlock {
  const hash = hashOf(`${branch}:${number}`)
  const block = { number, hash, parentHash: hashOf(`${branch}:${number - 1}`), timestamp }
  const logs = sketches.map((log, logIndex) => ({ ...log, blockNumber: number, blockHash: hash, logIndex }))
  return { block, logs }
}

/** These blocks in one read. */
export function rangeOf(
  sketched: readonly SketchedBlock[],
  calls: ReadonlyMap<Bytes32, DecodedSettlement> = new Map(),
): BlockRange {
  const logs = sketched.flatMap((item) => item.logs)
  const settlements = new Map(
    logs.flatMap((log) =>
      log.type === 'settlement' ? [[log.txHash, minedAs(calls.get(log.txHash), log.solver)]] : [],
    ),
  )
  return { ...rangeWith(logs, ...sketched.map(({ block }) => block)), settlements }
}

export const sampleGas = { gasUsed: 100_000n, effectiveGasPrice: 7n }
export const sampleSender = numbered('51')

/** A transaction of a solver that calls the settlement contract, and whose other logs are none of its. */
export function minedAs(
  call: DecodedSettlement | undefined,
  solver: Address,
  blockHash = hashOf('block'),
): MinedSettlements {
  return { ...sampleGas, blockHash, calls: [{ callers: [solver], call }], changes: [new Map()] }
}

/** Blocks with these logs in one read. */
export function rangeWith(logs: ChainLog[], ...[first, ...rest]: Block[]): BlockRange {
  if (!first) throw new Error('no block')
  return { blocks: [first, ...rest], headers: [first, ...rest], logs, settlements: new Map() }
}

export function trade(order: Order, { sell, buy }: Fill, tx: string): LogSketch {
  const { uid: orderUid, owner, sellToken, buyToken } = order
  const amounts = { sellAmount: sell, buyAmount: buy, feeAmount: 0n }
  return { type: 'trade', orderUid, owner, sellToken, buyToken, ...amounts, txHash: hashOf(tx) }
}

export function settled(solver: Address, tx: string): LogSketch {
  return { type: 'settlement', solver, txHash: hashOf(tx) }
}

export function invalidation({ uid, owner }: Order, tx: string): LogSketch {
  return { type: 'invalidation', orderUid: uid, owner, txHash: hashOf(tx) }
}

export function presignature({ uid, owner }: Order, signed: boolean, tx: string): LogSketch {
  return { type: 'presignature', orderUid: uid, owner, signed, txHash: hashOf(tx) }
}

/** Follows programmatic orders by these blocks and answers of the contract, until there is nothing to do. */
export async function followOnce(
  blocks: ReadonlyMap<number, SketchedBlock>,
  reading: Pick<ProgrammaticReading, 'network' | 'db' | 'readAuthorisations'> & Partial<ProgrammaticReading>,
): Promise<void> {
  const stop = new AbortController()
  const { network, db } = reading
  await followProgrammaticOrders(
    {
      log: silentLog,
      indexed: () => findCheckpoint(db, network.chainId),
      chain: {
        block: async (number) => blocks.get(number)?.block,
        times: async (numbers) => timesOf(numbers.flatMap((number) => blocks.get(number)?.block ?? [])),
      },
      programmaticLogs: async () => [],
      poll: async (failures) => {
        expect(failures).toBe(0)
        stop.abort()
      },
      ...reading,
    },
    stop.signal,
  )
}
