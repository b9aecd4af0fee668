import { useCallback, useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { messageOf, Refused } from '../ask.ts'
import { firstReading } from './first-render.ts'

export interface Polled<Value> {
  /** Undefined until it is read; kept if a further read fails. */
  value?: Value | undefined
  fault?: string | undefined
  /** Reads again soon, once for many calls. */
  again(): void
}

const settleMs = 250
const retryMs = 5_000
const maxRetryMs = 60_000

/** Doubles with each fault in a row. Readers that fail together repeat apart. */
const retryDelay = (faults: number) => Math.min(retryMs * 2 ** faults, maxRetryMs) * (0.5 + Math.random() / 2)

const isVisible = () => document.visibilityState === 'visible'

interface Reader {
  again(): void
  /** Reads again, unless a retry is due. */
  poll(): void
}

/**
 * Reads a value, and again at intervals. A result of an earlier `read` is dropped.
 * @param everyMs interval while the page is visible; 0 for none
 * @param isAwaited false if the page opens without the value: its place is as large before as it is then
 */
export function usePolled<Value>(read: () => Promise<Value>, everyMs = 0, isAwaited = true): Polled<Value> {
  const [state, setState] = useState<{ value?: Value; fault?: string }>({})
  const reader = useRef<Reader>(undefined)
  /** Faults in a row, also of earlier `read`: a parent that reads well may change it often. */
  const faults = useRef(0)

  // Runs before the page is visible: it is shown when its first reads have ended.
  useLayoutEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined
    let isOver = false
    let isRunning = false
    /** True if it changed during a read. */
    let isLate = false
    let isRetrying = false

    const runIn = (ms: number, next: () => void = run) => {
      clearTimeout(timer)
      timer = setTimeout(next, ms)
    }
    const retry = () => {
      if (isRetrying && isVisible()) void run()
    }
    async function run() {
      if (isRunning) {
        isLate = true
        return
      }
      clearTimeout(timer)
      isRunning = true
      isRetrying = false
      try {
        const value = await read()
        if (isOver) return
        faults.current = 0
        setState({ value })
      } catch (fault) {
        if (isOver) return
        setState(({ value }) => ({ ...(value !== undefined && { value }), fault: messageOf(fault) }))
        // A refusal is final.
        if (fault instanceof Refused && !fault.isPassing) return
        isRetrying = true
        runIn(retryDelay(faults.current++), retry)
      } finally {
        isRunning = false
        if (isLate && !isOver) runIn(settleMs)
        isLate = false
      }
    }
    const again = () => runIn(settleMs)
    reader.current = { again, poll: () => isVisible() && !isRetrying && again() }
    document.addEventListener('visibilitychange', retry)
    const reading = run()
    if (isAwaited) void firstReading(reading)
    return () => {
      isOver = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', retry)
    }
  }, [read, isAwaited])
  useEffect(() => {
    if (everyMs === 0) return
    const each = setInterval(() => reader.current?.poll(), everyMs)
    return () => clearInterval(each)
  }, [everyMs])
  const again = useCallback(() => reader.current?.again(), [])
  return { ...state, again }
}
