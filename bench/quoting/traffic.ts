import type { Span, Traffic } from '../servers/counting-node.ts'

/** Returns the union, sorted and without overlaps. */
function union(spans: readonly Span[]): Span[] {
  const joined: [number, number][] = []
  for (const [from, to] of spans.toSorted(([a], [b]) => a - b)) {
    const last = joined.at(-1)
    if (last && from <= last[1]) last[1] = Math.max(last[1], to)
    else joined.push([from, to])
  }
  return joined
}

const lengthOf = (spans: readonly Span[]): number => spans.reduce((sum, [from, to]) => sum + to - from, 0)

/** Returns the length of the overlap of two lists of spans. */
function overlap(some: readonly Span[], others: readonly Span[]): number {
  const [a, b] = [union(some), union(others)]
  return lengthOf(a) + lengthOf(b) - lengthOf(union([...a, ...b]))
}

export interface Observed {
  traffic: Traffic
  seconds: number
}

/** Returns the requests that quotes caused, without the program's own. */
export function perQuote(quotes: number, busy: Observed, idle: Observed): Record<string, number> {
  return Object.fromEntries(
    [...busy.traffic.byLabel].map(([label, count]) => {
      const byItself = ((idle.traffic.byLabel.get(label) ?? 0) / idle.seconds) * busy.seconds
      return [label, Math.max(0, count - byItself) / quotes]
    }),
  )
}

/** Returns the share of quoting time during which the node had a request, less the usual share. */
export function rpcShare(answers: readonly Span[], busy: Observed, idle: Observed): number {
  const anyway = lengthOf(union(idle.traffic.spans)) / 1000 / idle.seconds
  const during = overlap(answers, busy.traffic.spans) / lengthOf(union(answers))
  return Math.max(0, during - anyway)
}
