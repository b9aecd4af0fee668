import type { Log } from '../../../src/domain/log.ts'

/** A solution that won and failed in the simulation after others. It is told by the log alone. */
export interface Failure {
  auctionId: number
  solver: string
  score: bigint
}

const message = 'a winner fails'

export interface Failures {
  list: Failure[]
  /** Takes the log's text in pieces. */
  hear(text: string): void
  log: Log
}

export function collectFailures(): Failures {
  const list: Failure[] = []
  const note = ({ auctionId, solver, score }: Record<string, unknown>) =>
    list.push({ auctionId: Number(auctionId), solver: String(solver), score: BigInt(String(score)) })
  let rest = ''
  return {
    list,
    hear(text) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) if (line.includes(`"${message}"`)) note(JSON.parse(line))
    },
    log: {
      debug() {},
      info(said, fields) {
        if (said === message && fields) note(fields)
      },
      warn() {},
      error() {},
    },
  }
}
