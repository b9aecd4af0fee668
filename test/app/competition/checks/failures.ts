import type { Log } from '../../../../src/domain/log.ts'

/** A solution that could not be settled, which only the log reports. */
export interface Failure {
  auctionId: number
  solver: string
  score: bigint
  /** Solvers of winners after which it fails; empty if it fails alone or one of its orders was cancelled. */
  after: readonly string[]
}

const message = 'solutions cannot be settled'

interface Failures {
  list: Failure[]
  /** Reads the log's text in pieces. */
  hear(text: string): void
  log: Log
}

interface Told {
  auctionId: string
  solutions: { solver: string; score: string; after: string[] }[]
}

export function collectFailures(): Failures {
  const list: Failure[] = []
  const note = ({ auctionId, solutions }: Told) => {
    for (const { solver, score, after } of solutions)
      list.push({ auctionId: Number(auctionId), solver, score: BigInt(score), after })
  }
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
        if (said === message) note(fields as unknown as Told)
      },
      warn() {},
      error() {},
    },
  }
}
