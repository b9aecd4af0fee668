import { fork } from 'node:child_process'
import { once } from 'node:events'

const stopMs = 5_000

/** The request handlers of a process. Arguments and answers are cloned. */
// biome-ignore lint/suspicious/noExplicitAny: any arguments, which `Apart` types again
export type Handlers = Record<string, (...args: any[]) => unknown>

export type Apart<T extends Handlers> = {
  [Name in keyof T]: (...args: Parameters<T[Name]>) => Promise<Awaited<ReturnType<T[Name]>>>
} & { stop(): Promise<void> }

interface Answer {
  id: number
  value?: unknown
  fault?: string
}

/** Starts a module in a separate process, and calls its handlers. */
export function startApart<T extends Handlers>(module: string): Apart<T> {
  const child = fork(module, { execArgv: ['--import', 'tsx'], serialization: 'advanced' })
  const ended = once(child, 'exit')
  const waiting = new Map<number, { resolve(value: unknown): void; reject(error: Error): void }>()
  let next = 0
  child.on('message', ({ id, value, fault }: Answer) => {
    const { resolve, reject } = waiting.get(id) ?? {}
    waiting.delete(id)
    if (fault === undefined) resolve?.(value)
    else reject?.(new Error(fault))
  })
  child.on('exit', () => {
    for (const { reject } of waiting.values()) reject(new Error(`${module} ended`))
  })
  const ask = (name: string, args: unknown[]) =>
    new Promise((resolve, reject) => {
      waiting.set(++next, { resolve, reject })
      child.send({ id: next, name, args })
    })
  async function stop(): Promise<void> {
    if (child.connected) child.disconnect()
    const timer = setTimeout(() => child.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(timer)
  }
  return new Proxy({} as Apart<T>, {
    get: (_, name: string) => {
      // Otherwise an `await` would take it for a promise.
      if (name === 'then') return undefined
      return name === 'stop' ? stop : (...args: unknown[]) => ask(name, args)
    },
  })
}

/** Answers the parent of this process, and ends with it. */
export function answerParent(handlers: Handlers): void {
  process.on('message', async ({ id, name, args }: { id: number; name: string; args: unknown[] }) => {
    try {
      process.send?.({ id, value: await handlers[name]?.(...args) })
    } catch (error) {
      process.send?.({ id, fault: error instanceof Error ? error.message : String(error) })
    }
  })
  process.once('disconnect', () => process.exit(0))
}
