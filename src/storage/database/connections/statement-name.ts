import { createLruCache } from '../../../domain/derived.ts'

/** Texts of reads are composed by what clients select. */
const maxTexts = 2_000
/** Each is a label of metrics. */
const maxNames = 300

const statementNames = createLruCache<string, string>({ max: maxTexts })
const distinct = new Set<string>()

/** Returns the verb of a statement and its first table, such as `select orders`. */
export function statementName(text: string): string {
  const known = statementNames.get(text)
  if (known !== undefined) return known
  const found = nameOf(text)
  const name = distinct.has(found) || distinct.size < maxNames ? found : 'other'
  distinct.add(name)
  statementNames.set(text, name)
  return name
}

/** A statement that writes may read too: what it writes names it. */
const verbs: readonly (readonly [verb: string, pattern: RegExp])[] = [
  ['insert', /\bINSERT INTO (?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['delete', /\bDELETE FROM (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['update', /(?<!\b(?:FOR|DO) )\bUPDATE (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
  ['select', /(?<!\bDISTINCT )\bFROM (?:ONLY )?(?:"?public"?\.)?"?([a-z_]{5,40})\b(?!\()/i],
]
const others = /^\s*(BEGIN|COMMIT|ROLLBACK|SELECT|SET|LOCK)\b/i

function nameOf(text: string): string {
  const flat = text.replace(/\s+/g, ' ')
  for (const [verb, pattern] of verbs) {
    const [, subject] = pattern.exec(flat) ?? []
    if (subject) return `${verb} ${subject}`
  }
  return others.exec(text)?.[1]?.toLowerCase() ?? 'other'
}
