import type { Block } from '../chain/chain.ts'
import type { ChainLog } from '../chain/logs/chain-logs.ts'
import type { ProgrammaticLog } from '../chain/logs/programmatic-logs.ts'
import { insertProgrammaticFacts, linkOlderOrders } from '../storage/chain/programmatic.ts'
import type { Tx } from '../storage/database/database.ts'
import { timeOf } from './block-range.ts'

const types: readonly ChainLog['type'][] = ['creation', 'root', 'shed'] satisfies ProgrammaticLog['type'][]

export function isProgrammaticLog(log: ChainLog): log is ProgrammaticLog {
  return types.includes(log.type)
}

/** The times of blocks by their numbers. */
export const timesOf = (blocks: readonly Block[]): ReadonlyMap<number, Date> =>
  new Map(blocks.map((block) => [block.number, timeOf(block)]))

/**
 * Stores creations of programmatic orders, Merkle roots and proxies, and links orders of these owners that
 * are older than their links.
 * @param times those of all blocks with a creation or a root
 * @param areOld true for blocks that were indexed before without these logs
 */
export async function storeProgrammaticLogs(
  tx: Tx,
  chainId: number,
  logs: readonly ProgrammaticLog[],
  times: ReadonlyMap<number, Date>,
  { areOld }: { areOld?: boolean } = {},
): Promise<void> {
  const timed = <Log extends ProgrammaticLog>(log: Log) => ({
    ...log,
    blockTime: times.get(log.blockNumber) ?? new Date(0),
  })
  const creations = logs.filter((log) => log.type === 'creation').map(timed)
  await insertProgrammaticFacts(tx, chainId, {
    creations,
    areOld,
    roots: logs.filter((log) => log.type === 'root').map(timed),
    sheds: logs.filter((log) => log.type === 'shed'),
  })
  await linkOlderOrders(tx, chainId, [...new Set(creations.map(({ owner }) => owner))])
}
