import type { Block } from '../../chain/chain.ts'
import { ChainMoved, type FollowedChain } from '../block-range.ts'

const daySeconds = 86_400
const spanMs = 900_000

/** Volumes are summed by spans of so many blocks: about a quarter of an hour. */
export function spanOf({ blockTimeMs }: { blockTimeMs: number }): number {
  return Math.max(1, Math.round(spanMs / blockTimeMs))
}

/** Where the day before a block begins. */
export interface DayStart {
  fromBlock: number
  fromTime: Date
}

export interface DayOptions {
  chain: Pick<FollowedChain, 'block'>
  span: number
}

/** The first span from block `least` on whose first block is at most a day older than this block; else the newest. */
export async function findDayStart(
  { chain, span }: DayOptions,
  block: Pick<Block, 'number' | 'timestamp'>,
  least: number,
): Promise<DayStart> {
  const timeOf = async (number: number) => {
    const found = await chain.block(number)
    if (!found) throw new ChainMoved(`block ${number} is missing below the head`)
    return found.timestamp
  }
  const oldest = block.timestamp - daySeconds
  let low = Math.floor(Math.max(0, least) / span)
  let high = Math.floor(block.number / span)
  let time = await timeOf(high * span)
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    const middleTime = await timeOf(middle * span)
    if (middleTime < oldest) low = middle + 1
    else {
      high = middle
      time = middleTime
    }
  }
  return { fromBlock: high * span, fromTime: new Date(time * 1_000) }
}

export function isDayOver({ fromTime }: DayStart, { timestamp }: Pick<Block, 'timestamp'>): boolean {
  return fromTime.getTime() < (timestamp - daySeconds) * 1_000
}

/** Whether a day has passed between the two. */
export function isDayLater(before: Date, { timestamp }: Pick<Block, 'timestamp'>): boolean {
  return timestamp * 1_000 - before.getTime() > daySeconds * 1_000
}
