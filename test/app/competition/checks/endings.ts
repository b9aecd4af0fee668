import { setTimeout as pause } from 'node:timers/promises'
import { ask, type Ground, reportOf } from '../ground.ts'
import type { Placed } from '../orders/place.ts'
import type { Reports } from './competitions.ts'

const ended = new Set(['fulfilled', 'expired', 'cancelled'])
const perRequest = 100

/** Waits until every order has ended, or until the time limit. */
export async function untilEnded(
  ground: Ground,
  placed: readonly Placed[],
  timeoutMs: number,
  signal: AbortSignal,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  let open = placed.map(({ uid }) => uid)
  while (open.length > 0 && performance.now() < deadline && !signal.aborted) {
    const uids = open.slice(0, perRequest)
    const { body } = await ask(ground, '/api/v1/orders/by_uids', 'POST', uids)
    const over = new Set(
      body
        .flatMap((found: { order?: object }) => found.order ?? found)
        .filter(({ status }: { status: string }) => ended.has(status))
        .map(({ uid }: { uid: string }) => uid),
    )
    open = [...open.slice(perRequest), ...uids].filter((uid) => !over.has(uid))
    if (over.size === 0) await pause(250, undefined, { signal }).catch(() => {})
  }
}

export async function readReports(ground: Ground, placed: readonly Placed[]): Promise<Reports> {
  const reports = new Map<string, unknown>()
  for (const { uid } of placed) reports.set(uid, await reportOf(ground, uid))
  return reports as Reports
}

export interface EndingResults {
  statuses: Record<string, number>
  /** Milliseconds from the creation to the first trade, ascending. */
  toTradeMs: number[]
  outcomes: Record<string, number>
  faults: string[]
}

/** Checks that every order and every attempt to settle has ended as planned. */
export function checkEndings(placed: readonly Placed[], reports: Reports): EndingResults {
  const results: EndingResults = { statuses: {}, toTradeMs: [], outcomes: {}, faults: [] }
  const attempts = new Map<string, string | undefined>()
  for (const { plan, uid } of placed) {
    const { order, events, auctions } = reports.get(uid)
    results.statuses[order.status] = (results.statuses[order.status] ?? 0) + 1
    const isPartly = order.executedSellAmount !== '0' && order.status !== 'fulfilled'
    const name = `order ${plan.number} (${plan.kind} ${plan.sell} ${plan.buy}, ${plan.scheme})`
    // An order that is filled before its funds leave is filled whole.
    const isWhole = plan.scheme === 'poor' && order.status === 'fulfilled'
    if (order.status !== plan.ending && !isWhole)
      results.faults.push(`${name} is ${order.status} instead of ${plan.ending}: ${storyOf(events)}`)
    else if (isPartly && plan.scheme !== 'poor')
      results.faults.push(
        `${name} is ${order.status} with ${order.executedSellAmount} sold: ${storyOf(events)}`,
      )
    const at = (label: string) => events.find((event: { label: string }) => event.label === label)?.timestamp
    if (at('traded')) results.toTradeMs.push(Date.parse(at('traded')) - Date.parse(at('created')))
    for (const { id, settlementAttempts } of auctions) {
      for (const { solutionUid, outcome } of settlementAttempts) attempts.set(`${id}/${solutionUid}`, outcome)
    }
  }
  for (const [attempt, outcome] of attempts) {
    if (outcome === undefined) results.faults.push(`the attempt ${attempt} has not ended`)
    const kind = String(outcome).slice(0, 60)
    results.outcomes[kind] = (results.outcomes[kind] ?? 0) + 1
  }
  results.toTradeMs.sort((a, b) => a - b)
  return results
}

function storyOf(events: readonly { label: string; reason?: string }[]): string {
  return events.map(({ label, reason }) => (reason ? `${label} (${reason})` : label)).join(', ')
}
