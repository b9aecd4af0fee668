import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'

/** What following needs of a chain. */
export interface FollowedChain {
  head(): Promise<Block>
  /** `undefined` when the chain is not that long. */
  block(number: number): Promise<Block | undefined>
  /** Both ends included, by block and log index. @throws Outage where `toBlock` is not there */
  logs(fromBlock: number, toBlock: number): Promise<ChainLog[]>
}

export interface Checkpoint {
  number: number
  hash: Bytes32
}

/** A place in the chain; `hash` is null for the place before the first block. */
export type ChainPlace = Checkpoint | { number: number; hash: null }

/** The answers do not fit together: the chain changed between two reads, or the node is several that disagree. */
export class ChainMoved extends Error {
  override readonly name = 'ChainMoved'
}

/** More happened in several blocks than is written in one transaction: fewer have to be read. */
export class RangeTooFull extends Error {
  override readonly name = 'RangeTooFull'
}

/** What one transaction writes in about a second. A single block may hold more. */
export const maxLogs = 10_000

export interface BlockRange {
  blocks: [Block, ...Block[]]
  logs: ChainLog[]
}

const maxHeaders = 16

/**
 * Blocks above the finality horizon: a chain of headers that begins at `last`, and the logs of exactly these blocks.
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
 * Blocks up to the finality horizon: only the last header is read. Without the headers between, that these blocks follow
 * on `last` is known by its being there still when all is read.
 * @throws ChainMoved, RangeTooFull
 */
export async function readOldBlocks(chain: FollowedChain, last: ChainPlace, to: number): Promise<BlockRange> {
  const range = await withLogs(chain, last.number + 1, [await header(chain, to)])
  if (last.hash !== null) await confirm(chain, last)
  return range
}

/** Logs are read between two reads of the last header: a block without logs cannot tell that it was replaced. */
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

/** @throws ChainMoved when this block is not there any more */
export async function confirm(
  chain: Pick<FollowedChain, 'block'>,
  { number, hash }: Checkpoint,
): Promise<void> {
  if ((await header(chain, number)).hash !== hash) throw new ChainMoved(`block ${number} changed`)
}
