/** Output that may be a terminal. */
export type Screen = Pick<NodeJS.WriteStream, 'write'> & { isTTY?: boolean; columns?: number }

const width = 24

/** A bar with its share, such as `[######------] 50 %`. */
export function bar(done: number, total: number): string {
  const share = total > 0 ? Math.min(1, Math.max(0, done / total)) : 1
  const full = Math.floor(share * width)
  return `[${'#'.repeat(full)}${'-'.repeat(width - full)}] ${Math.floor(share * 100)} %`
}

/** Replaces the line of a terminal. Elsewhere nothing is shown. */
export function showLine(out: Screen, line: string): void {
  if (out.isTTY) out.write(`\r\x1b[K${line.slice(0, (out.columns || 80) - 1)}`)
}

/** Shows how many migrations are applied, and removes the bar at the end. */
export function migrationBar(out: Screen): (done: number, total: number) => void {
  return (done, total) =>
    showLine(out, done < total ? `${bar(done, total)}, ${done} of ${total} migrations` : '')
}
