import type { Subject } from '../database/subjects.ts'
import type { Question } from '../load/question.ts'
import type { ServerProcess } from '../servers/process.ts'

/** One request, sent to several systems in one run. */
export interface Workload {
  name: string
  title: string
  rows: Row[]
}

export interface Row {
  system: string
  /** The peer; the other rows are multiples of this one. */
  peer?: Peer
  server: ServerProcess
  ask(subject: Subject): Question
  /** Runs before the first request. @returns the reason why the row cannot be measured */
  prepare?(): Promise<string | undefined>
}

export const peers = ['PostGraphile', 'one statement', 'fastify', 'node:http'] as const
export type Peer = (typeof peers)[number]
