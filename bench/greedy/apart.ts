import { fork } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import type { Greed } from './client.ts'
import type { Start } from './worker.ts'

const worker = path.join(import.meta.dirname, 'worker.ts')
const stopMs = 5_000

/** Starts the greedy client in its own process. Resolves once it sends requests. */
export async function startGreedyApart(start: Start) {
  const child = fork(worker, { execArgv: ['--import', 'tsx'] })
  const ended = once(child, 'exit')
  const hear = async (message: object | string) => {
    const answer = once(child, 'message')
    child.send(message)
    const failed = ended.then(() => Promise.reject(new Error('the greedy client ended')))
    const [heard] = await Promise.race([answer, failed])
    return heard
  }
  await hear(start)
  return {
    /** Takes the results since the last call. */
    take: (): Promise<Greed> => hear('take'),
    async stop(): Promise<void> {
      if (child.connected) child.send('stop')
      const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
      await ended
      clearTimeout(timer)
    },
  }
}
