import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Apart, startApart } from '../apart.ts'
import type { CrowdOptions, Reader, Standing } from './crowd.ts'
import type { CrowdHandlers } from './worker.ts'

/** Readers in several processes at different addresses: files limit a process, ports an address. */
export interface Crowds {
  gather(options: Omit<CrowdOptions, 'from'>): Promise<void>
  /** @returns milliseconds until all were answered */
  open(): Promise<number>
  close(): Promise<void>
  stall(): Promise<void>
  unstall(): Promise<void>
  standing(): Promise<Standing>
  /** Waits until all readers have the events up to `last`. @returns the number of missing events */
  settle(last: number, timeoutMs: number): Promise<number>
  /** Returns delays of all deliveries, ascending. */
  since(first: number, times: Float64Array): Promise<Float64Array>
  forget(): Promise<void>
  /** Limits the readers to CPU that others leave, from now on. */
  giveWay(): Promise<void>
  stop(): Promise<void>
}

const lookMs = 50

export function startCrowds(processes: number): Crowds {
  const workers = Array.from({ length: processes }, () =>
    startApart<CrowdHandlers>(path.join(import.meta.dirname, 'worker.ts')),
  )
  const each = <T>(ask: (worker: Apart<CrowdHandlers>, index: number) => Promise<T>) =>
    Promise.all(workers.map(ask))
  const missing = async (last: number) =>
    (await each((worker) => worker.missing(last))).reduce((sum, count) => sum + count, 0)
  const addressOf = (index: number) => `127.0.0.${index + 2}`
  const share = (readers: readonly Reader[], index: number) =>
    readers.filter((_, at) => at % processes === index)
  return {
    async gather(options) {
      await each((worker, index) =>
        worker.gather({ ...options, from: addressOf(index), readers: share(options.readers, index) }),
      )
    },
    open: async () => Math.max(...(await each((worker) => worker.open()))),
    close: async () => void (await each((worker) => worker.close())),
    stall: async () => void (await each((worker) => worker.stall())),
    unstall: async () => void (await each((worker) => worker.unstall())),
    standing: async () => (await each((worker) => worker.standing())).reduce(joined),
    async settle(last, timeoutMs) {
      const deadline = performance.now() + timeoutMs
      for (;;) {
        const count = await missing(last)
        if (count === 0 || performance.now() > deadline) return count
        await pause(lookMs)
      }
    },
    async since(first, times) {
      const parts = await each((worker) => worker.since(first, times))
      const all = new Float64Array(parts.reduce((sum, { length }) => sum + length, 0))
      let at = 0
      for (const part of parts) {
        all.set(part, at)
        at += part.length
      }
      return all.sort()
    },
    forget: async () => void (await each((worker) => worker.forget())),
    giveWay: async () => void (await each((worker) => worker.giveWay())),
    stop: async () => void (await each((worker) => worker.stop())),
  }
}

function joined(some: Standing, other: Standing): Standing {
  const said = { ...some.said }
  for (const [text, count] of Object.entries(other.said)) said[text] = (said[text] ?? 0) + count
  return {
    open: some.open + other.open,
    delivered: some.delivered + other.delivered,
    lost: some.lost + other.lost,
    repeated: some.repeated + other.repeated,
    lastAt: Math.max(some.lastAt, other.lastAt),
    said,
  }
}
