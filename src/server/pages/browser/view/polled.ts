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

/**
 * Reads a value, and again at intervals.
 * @param everyMs interval while the page is visible; 0 for none
 */
export function usePolled<Value>(read: () => Promise<Value>, everyMs = 0): Polled<Value> {
  const [state, setState] = useState<{ value?: Value; fault?: string }>({})
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const isRunning = useRef(false)
  /** True if it changed during a read. */
  const isLate = useRef(false)

  const run = useCallback(async () => {
    if (isRunning.current) {
      isLate.current = true
      return
    }
    isRunning.current = true
    try {
      const value = await read()
      setState({ value })
    } catch (fault) {
      setState(({ value }) => ({ ...(value !== undefined && { value }), fault: messageOf(fault) }))
      // A refusal is final.
      if (fault instanceof Refused && !fault.isPassing) return
      clearTimeout(timer.current)
      timer.current = setTimeout(run, retryMs)
    } finally {
      isRunning.current = false
      if (isLate.current) timer.current = setTimeout(run, settleMs)
      isLate.current = false
    }
  }, [read])
  const again = useCallback(() => {
    clearTimeout(timer.current)
    timer.current = setTimeout(run, settleMs)
  }, [run])

  // Runs before the page is visible: it is shown when its first reads have ended.
  useLayoutEffect(() => {
    void firstReading(run())
    return () => clearTimeout(timer.current)
  }, [run])
  useEffect(() => {
    if (everyMs === 0) return
    const each = setInterval(() => document.visibilityState === 'visible' && again(), everyMs)
    return () => clearInterval(each)
  }, [again, everyMs])
  return { ...state, again }
}
