import type { ProgressState } from './progress.ts'

/** What an operator sees of the indexer of one network. */
export interface IndexerMeter {
  /** Blocks are stored. `timestamp`: of the last, in Unix seconds. */
  stored(progress: ProgressState & { timestamp: number }): void
  /** Blocks that a reorg took back. */
  reorganised(depth: number): void
  /** A log without an index or a transaction got one; or one that the contracts cannot have written was skipped. */
  oddLog(what: 'placed' | 'skipped'): void
  /** Settlements that are stored by their logs alone. */
  unread(count: number): void
}
