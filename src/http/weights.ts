/** Weights by name, of a header such as `br, gzip;q=0.5` (RFC 9110, 12.4.2). What is no number counts as 0. */
export function weightsIn(header: string): Map<string, number> {
  const entries = header.toLowerCase().split(',')
  return new Map(
    entries
      .map((entry) => entry.trim())
      .filter((entry) => entry !== '')
      .map(weightOf),
  )
}

function weightOf(entry: string): [name: string, weight: number] {
  const [name = '', ...parameters] = entry.split(';').map((part) => part.trim())
  const given = parameters.find((parameter) => parameter.startsWith('q='))
  return [name, given === undefined ? 1 : Number(given.slice(2)) || 0]
}

const maxKnown = 200
const longestKnown = 300

/** Clients write the same few headers: what was made of them is kept. */
export function remembering<Read>(read: (header: string) => Read): (header: string) => Read {
  const known = new Map<string, Read>()
  return (header) => {
    const before = known.get(header)
    if (before !== undefined) return before
    const made = read(header)
    if (known.size >= maxKnown) known.clear()
    if (header.length < longestKnown) known.set(header, made)
    return made
  }
}
