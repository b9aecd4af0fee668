import { useEffect, useState } from 'react'
import { TradegraphError } from 'tradegraph-client'

/** What a user can do about an error. docs/errors.md lists all codes. */
const advice: Record<string, string> = {
  FeedGap: 'Load the page again.',
  InsufficientAllowance: 'Approve the token, then sign again.',
  InsufficientBalance: 'Sell less, or fund the account.',
  NoLiquidity: 'Sell another amount, or choose another token.',
  OrderFullyExecuted: 'It was filled before it could be cancelled.',
  SellAmountDoesNotCoverFee: 'Sell more: the costs of the trade are higher than the amount.',
  Unavailable: 'The page may be out of date until the service answers.',
}

/** A sentence for the user: what went wrong, and what to do. */
function describe(fault: unknown): string {
  if (fault instanceof TradegraphError) {
    const next = advice[fault.code] ?? (fault.retryable ? 'Try again.' : '')
    return `${fault.message} (${fault.code}). ${next}`
  }
  const { code, message } = (fault ?? {}) as { code?: number; message?: string }
  // Wallets use 4001 of EIP-1193 when the user refuses.
  return code === 4001 ? 'Refused in the wallet.' : String(message ?? fault)
}

/** Waits. Throws the reason of the signal when it aborts. */
export const pause = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    setTimeout(resolve, ms)
    signal.onabort = () => reject(signal.reason)
  })

export type Task = (signal: AbortSignal, report: (fault?: unknown) => void) => Promise<void>

/** Runs a task until the component is gone or `inputs` change. Returns why it failed, or what it reports. */
export function useTask(inputs: unknown[], task: Task): string | undefined {
  const [problem, setProblem] = useState<string>()
  useEffect(() => {
    const end = new AbortController()
    const report = (fault?: unknown) => {
      if (!end.signal.aborted) setProblem(fault === undefined ? undefined : describe(fault))
    }
    report()
    task(end.signal, report).catch(report)
    return () => end.abort()
    // biome-ignore lint/correctness/useExhaustiveDependencies: the caller names them
  }, inputs)
  return problem
}

/** Runs one action of the user at a time. */
export function useAction() {
  const [busy, setBusy] = useState<string>()
  const [problem, setProblem] = useState<string>()
  async function run(step: string, action: () => Promise<unknown>) {
    setBusy(step)
    setProblem(undefined)
    await action().catch((fault) => setProblem(describe(fault)))
    setBusy(undefined)
  }
  return { busy, problem, run }
}
