import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'

/** The chain reads of the indexer. */
export interface FollowedChain {
  head(): Promise<Block>
  /** `undefined` when the chain is not that long. */
  block(number: number): Promise<Block | undefined>
  /** Both ends included, sorted by block and log index. @throws Outage if `toBlock` does not exist */
  logs(fromBlock: number, toBlock: number): Promise<ChainLog[]>
}

export interface Checkpoint {
  number: number
  hash: Bytes32
}

/** A position in the chain; `hash` is null for the position before the first block. */
export type ChainPlace = Checkpoint | { number: number; hash: null }

/** Two reads contradict each other: the chain changed in between, or several nodes behind one URL disagree. */
export class ChainMoved extends Error {
  override readonly name = 'ChainMoved'
}

/** The range has more logs than one transaction writes: a smaller range must be read. */
export class RangeTooFull extends Error {
  override readonly name = 'RangeTooFull'
}

/** One transaction writes this many in about a second. A single block may contain more. */
export const maxLogs = 10_000

export interface BlockRange {
  blocks: [Block, ...Block[]]
  logs: ChainLog[]
}

const maxHeaders = 16

/**
 * Reads blocks above the finality horizon: a chain of headers that follows on `last`, and the logs of exactly these blocks.
 * @throws ChainMoved, RangeTooFull
 */
export async function readNewBlocks(chain: FollowedChain, last: ChainPlace, to: number): Promise<BlockRange> {
  const first = last.number + 1
  const count = Math.min(maxHeaders, to - last.number)
  const headers = await Promise.all(Array.from({ length: count }, (_, index) => header(chain, first + index)))
  let parent = last.hash
  for (const { number, hash, parentHash } of headers) {
    if (parent !== null && parentHash !== parent) throw new ChainMoved(`block ${number} has another parent`)
    parent = hash
  }
  return withLogs(chain, first, headers)
}

/**
 * Reads blocks up to the finality horizon, with the last header only. Because the headers between are missing, it checks after the
 * reads that `last` is still in the chain.
 * @throws ChainMoved, RangeTooFull
 */
export async function readOldBlocks(chain: FollowedChain, last: ChainPlace, to: number): Promise<BlockRange> {
  const range = await withLogs(chain, last.number + 1, [await header(chain, to)])
  if (last.hash !== null) await confirm(chain, last)
  return range
}

/** Reads the last header again after the logs: a replaced block without logs would not be noticed otherwise. */
async function withLogs(chain: FollowedChain, from: number, headers: Block[]): Promise<BlockRange> {
  const [head, ...rest] = headers
  const end = headers.at(-1)
  if (!head || !end) throw new RangeError('no blocks to read')
  const logs = await chain.logs(from, end.number)
  if (logs.length > maxLogs && from < end.number) throw new RangeTooFull(`${logs.length} logs`)
  const hashes = new Map(headers.map(({ number, hash }) => [number, hash]))
  for (const { blockNumber, blockHash } of logs) {
    const expected = hashes.get(blockNumber)
    if (expected !== undefined && expected !== blockHash) {
      throw new ChainMoved(`a log of block ${blockNumber} is from another block`)
    }
  }
  await confirm(chain, end)
  return { blocks: [head, ...rest], logs }
}

async function header(chain: Pick<FollowedChain, 'block'>, number: number): Promise<Block> {
  const block = await chain.block(number)
  if (!block) throw new ChainMoved(`block ${number} is missing below the head`)
  return block
}

/** @throws ChainMoved when this block is no longer in the chain */
export async function confirm(
  chain: Pick<FollowedChain, 'block'>,
  { number, hash }: Checkpoint,
): Promise<void> {
  if ((await header(chain, number)).hash !== hash) throw new ChainMoved(`block ${number} changed`)
}
