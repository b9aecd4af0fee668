/** What `JSON.parse` keeps to itself about a text. Paths are those of `metadata.hooks.pre[0]`. */
export interface JsonSpelling {
  /** The first member that an object names twice: two readers could each take another of the two. */
  twice: string | undefined
  /** Numbers written with a sign, a point or an exponent: `1.0` and `1e3` parse to whole numbers all the same. */
  notDigits: ReadonlySet<string>
}

interface Level {
  path: string
  /** Members so far; null in a list. */
  names: Set<string> | null
  /** The member or the index that is being read. */
  at: string | number
  awaitsName: boolean
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/** @param text JSON that parses */
export function jsonSpelling(text: string): JsonSpelling {
  const notDigits = new Set<string>()
  const open: Level[] = []
  let twice: string | undefined
  for (const [token] of text.matchAll(tokens)) {
    const level = open.at(-1)
    if (token === '{') open.push({ path: pathIn(level), names: new Set(), at: '', awaitsName: true })
    else if (token === '[') open.push({ path: pathIn(level), names: null, at: 0, awaitsName: false })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && level) {
      level.awaitsName = level.names !== null
      if (typeof level.at === 'number') level.at++
    } else if (token.startsWith('"') && level?.awaitsName) {
      level.at = JSON.parse(token) as string
      level.awaitsName = false
      if (level.names?.has(level.at)) twice ??= pathIn(level)
      level.names?.add(level.at)
    } else if (/^-|^\d+[.eE]/.test(token)) notDigits.add(pathIn(level))
  }
  return { twice, notDigits }
}

function pathIn(level: Level | undefined): string {
  if (!level) return ''
  if (typeof level.at === 'number') return `${level.path}[${level.at}]`
  return level.path ? `${level.path}.${level.at}` : level.at
}
