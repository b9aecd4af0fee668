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

/** In characters, of a path and of each name in it: nothing that is looked for is as long. */
const longest = { path: 200, name: 40 }

/** Bounded, since a text can hold as many numbers as levels: what is longer ends in dots. */
function pathIn(level: Level | undefined): string {
  if (!level) return ''
  const { path, at } = level
  if (path.length > longest.path) return path
  const next = typeof at === 'number' ? `[${at}]` : abridged(at)
  const whole = path && typeof at === 'string' ? `${path}.${next}` : path + next
  return whole.length > longest.path ? `${whole}…` : whole
}

function abridged(name: string): string {
  return name.length > longest.name ? `${name.slice(0, longest.name)}…` : name
}

const [quote, backslash, openList, closeList, openObject, closeObject, comma] = Buffer.from('"\\[]{},')

/**
 * Whether lists and objects stand in each other so deep. Seen before a text is parsed: `JSON.parse` takes a
 * tenth of a second for 100,000 levels, and seconds for millions.
 */
export function nestsDeeper(text: string, than: number): boolean {
  if (text.length <= than) return false
  let levels = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) inText = !inText
    else if (inText && code === backslash) at++
    else if (inText) continue
    else if (code === closeList || code === closeObject) levels--
    else if ((code === openList || code === openObject) && ++levels > than) return true
  }
  return false
}

/**
 * How many items all lists of a text hold together.
 * @param text JSON that parses, without blanks around its items
 */
export function listItems(text: string): number {
  const isList: boolean[] = []
  let items = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) inText = !inText
    else if (inText && code === backslash) at++
    else if (inText) continue
    else if (code === openObject) isList.push(false)
    else if (code === closeList || code === closeObject) isList.pop()
    else if (code === comma && isList.at(-1)) items++
    else if (code === openList) {
      isList.push(true)
      if (text.charCodeAt(at + 1) !== closeList) items++
    }
  }
  return items
}
