/** Facts about a JSON text that `JSON.parse` does not report. Paths have the form `metadata.hooks.pre[0]`. */
interface JsonSpelling {
  /** The first duplicate member. Parsers disagree on which of the two counts. */
  duplicate: string | undefined
  /**
   * Paths of numbers written with a sign, a point or an exponent: `1.0` and `1e3` also parse to whole
   * numbers.
   */
  nonDigitNumbers: ReadonlySet<string>
}

interface Level {
  path: string
  /** The members so far; null in a list. */
  names: Set<string> | null
  /** The current member or index. */
  at: string | number
  awaitsName: boolean
}

const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|[^\s"{}[\],:]+/g

/** Scans a document. @param document JSON that parses */
export function jsonSpelling(document: string): JsonSpelling {
  const nonDigitNumbers = new Set<string>()
  const open: Level[] = []
  let duplicate: string | undefined
  for (const [token] of document.matchAll(tokens)) {
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
      if (level.names?.has(level.at)) duplicate ??= pathIn(level)
      level.names?.add(level.at)
    } else if (/^-|^\d+[.eE]/.test(token)) nonDigitNumbers.add(pathIn(level))
  }
  return { duplicate, nonDigitNumbers }
}

/** The maximum length of a path and of each name in it: longer than any known path. */
const maxLength = { path: 200, name: 40 }

/**
 * The path of a level. It is truncated: a text with many levels and many numbers would otherwise cost
 * quadratic space.
 */
function pathIn(level: Level | undefined): string {
  if (!level) return ''
  const { path, at } = level
  if (path.length > maxLength.path) return path
  const next = typeof at === 'number' ? `[${at}]` : abbreviate(at)
  const whole = path && typeof at === 'string' ? `${path}.${next}` : path + next
  return whole.length > maxLength.path ? `${whole}…` : whole
}

function abbreviate(name: string): string {
  return name.length > maxLength.name ? `${name.slice(0, maxLength.name)}…` : name
}

const [quote, backslash, openList, closeList, openObject, closeObject, comma] = Buffer.from('"\\[]{},')

/**
 * Reports whether lists and objects nest deeper than `maxLevels`. Check it before parsing: `JSON.parse` takes
 * a tenth of a second for 100,000 levels, and seconds for millions.
 */
export function nestsDeeper(text: string, maxLevels: number): boolean {
  if (text.length <= maxLevels) return false
  let levels = 0
  let inText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === quote) inText = !inText
    else if (inText && code === backslash) at++
    else if (inText) continue
    else if (code === closeList || code === closeObject) levels--
    else if ((code === openList || code === openObject) && ++levels > maxLevels) return true
  }
  return false
}

/**
 * Counts the items in all lists of a text.
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
