import type { OddLog } from '../chain/logs/logs.ts'
import type { Clock, Log } from '../domain/log.ts'
import type { WaitingSettlements } from '../storage/chain/log-queries.ts'

/** Lag of an index behind its source. */
interface ProgressState {
  blocksBehind: number
  /** Rate over the last minute. */
  blocksPerSecond: number
  /** null while it does not move. */
  secondsLeft: number | null
}

export interface Progress {
  /** Moves to block `at`; `goal` is the newest one. */
  moved(at: number, goal: number): void
  /** `undefined` before the first block. */
  state(): ProgressState | undefined
}

interface ProgressOptions {
  network: string
  what: 'blocks' | 'transfers'
  now: Clock
  log: Log
}

const windowMs = 60_000
const reportEveryMs = 10_000
/** One that is behind by less follows a live chain, and does not report. */
const reportedBehind = 32

/** Measures the rate of an index, and reports in the log while it is far behind. */
export function createProgress({ network, what, now, log }: ProgressOptions): Progress {
  /** Samples, up to one for each second of the window. */
  let samples: { time: number; at: number }[] = []
  let behind = 0
  let nextReport: number | undefined
  /** Position at which the index began to catch up. */
  let from = 0

  function state(): ProgressState | undefined {
    const last = samples.at(-1)
    if (!last) return undefined
    const time = now()
    const first = samples.find((sample) => sample.time >= time - windowMs) ?? last
    const rate = time > first.time ? ((last.at - first.at) * 1_000) / (time - first.time) : 0
    const secondsLeft = behind === 0 ? 0 : rate > 0 ? Math.ceil(behind / rate) : null
    return { blocksBehind: behind, blocksPerSecond: Math.round(rate * 10) / 10, secondsLeft }
  }

  function report(at: number): void {
    const time = now()
    if (nextReport === undefined) from = at
    if (behind < reportedBehind) {
      if (behind > 0 || nextReport === undefined) return
      log.progress?.('', 1, 1)
      log.info('caught up', { network, what })
      nextReport = undefined
      return
    }
    const isFirst = nextReport === undefined
    nextReport ??= time
    if (log.progress && !isFirst) log.progress(describe(), at - from, at - from + behind)
    else if (time >= nextReport) {
      nextReport = time + reportEveryMs
      log.info('catching up', { network, what, ...state() })
    }
  }

  function describe(): string {
    const left = state()?.secondsLeft
    const time = left === undefined || left === null ? '' : `, ${left} s left`
    return `${network}: ${what}, ${behind} behind${time}`
  }

  return {
    moved(at, goal) {
      const time = now()
      const last = samples.at(-1)
      if (last && at < last.at) samples = []
      samples = samples.filter((sample) => sample.time >= time - windowMs)
      // The newest place, without more samples than seconds.
      if (samples.length > 1 && last && time - (samples.at(-2)?.time ?? 0) < 1_000) samples.pop()
      samples.push({ time, at })
      behind = Math.max(0, goal - at)
      report(at)
    },
    state,
  }
}

/** Figures of one network's indexer for operators. */
export interface IndexerMeter {
  /** Blocks are stored. `timestamp`: of the last, in Unix seconds. */
  stored(progress: ProgressState & { timestamp: number }): void
  /** Blocks that a reorg took back. */
  reorganised(depth: number): void
  /** A log without an index or a transaction was given one, or an impossible log was skipped. */
  oddLog(what: OddLog): void
  /** Settlements that wait to be read. */
  waits(waiting: WaitingSettlements): void
}
