import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Greed } from './client.ts'
import type { Start } from './worker.ts'

const worker = path.join(import.meta.dirname, 'worker.ts')
const stopMs = 5_000

/** Starts the greedy client in its own process. */
export function startGreedyApart(start: Start) {
  const child = fork(worker, { execArgv: ['--import', 'tsx'] })
  const ended = once(child, 'exit')
  child.send(start)
  return {
    /** Takes the results since the last call. */
    async take(): Promise<Greed> {
      const answer = once(child, 'message')
      child.send('take')
      const [greed] = await Promise.race([
        answer,
        ended.then(() => Promise.reject(new Error('the greedy client ended'))),
      ])
      return greed as Greed
    },
    async stop(): Promise<void> {
      if (child.connected) child.send('stop')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
