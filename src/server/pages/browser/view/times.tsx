/** Date and time of day, with the time zone. */
const full = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'long' })
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

const units = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
] as const

/** Such as “5 minutes ago” or “in 2 hours”. */
export function fromNow(date: Date): string {
  const seconds = (date.getTime() - Date.now()) / 1_000
  const [unit, size] = units.find(([, size]) => Math.abs(seconds) >= size) ?? ['second', 1]
  return relative.format(Math.trunc(seconds / size), unit)
}

/** Such as “2 hours 5 minutes”: the two largest units, rounded down. */
export function durationOf(seconds: number): string {
  const parts: string[] = []
  let rest = seconds
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) parts.push(`${count} ${unit}${count === 1 ? '' : 's'}`)
  }
  return parts.slice(0, 2).join(' ')
}

export function Time({ at, isRelative = false }: { at: string | Date; isRelative?: boolean }) {
  const date = new Date(at)
  if (Number.isNaN(date.getTime())) return null
  const text = full.format(date)
  return (
    <time dateTime={date.toISOString()} title={text}>
      {isRelative ? fromNow(date) : text}
    </time>
  )
}
