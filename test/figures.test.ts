import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { schema } from '../src/graphql/schema.ts'

const root = path.join(import.meta.dirname, '..', 'src')
const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => /\.tsx?$/.test(file) && !file.includes('generated'))
  .map((file) => ({ file, lines: readFileSync(path.join(root, file), 'utf8').split('\n') }))
const lines = sources.flatMap(({ lines }) => lines)
const comments = lines.filter((line) => /^\s*(\/\*\*|\*|\/\/)/.test(line))

/**
 * The first words of doc comments that a reader has to decode: they begin with a preposition, or with "what"
 * and the like.
 */
const bareStart =
  /^\s*\/\*\*\s+(?:Of|In|For|With|From|By|At|On|To|After|Before|Without|Between|Under|Over|As|Where|What|Who|Whether|Which|Those|Nothing|Nobody)\b/

/** The descriptions: string literals of one line that are sentences. */
const sentencesIn = (lines: readonly string[]) =>
  lines.flatMap((line) => line.match(/'[A-Z][^']* [^']*\.'/g) ?? [])
const sentences = sentencesIn(lines)
const repeated = new Set(sentences.filter((sentence, index) => sentences.indexOf(sentence) !== index))

/** The descriptions of REST that are those of GraphQL, from which they should be derived. */
const inGraphql = new Set(
  Object.values(schema.getTypeMap()).flatMap((type) => {
    const fields = 'getFields' in type ? Object.values(type.getFields()) : []
    return [type, ...fields].map(({ description }) => `'${description}'`)
  }),
)
const ofRest = sources
  .filter(({ file }) => /^(rest|storage\/bodies)\//.test(file))
  .flatMap(({ lines }) => sentencesIn(lines))

/** Names that several files export, whatever each means by it. */
const exported = sources.flatMap(({ lines }) => {
  const names = lines.map((line) => /^export (?:async )?(?:\w+) (\w+)/.exec(line)?.[1])
  return [...new Set(names)].filter((name) => name !== undefined)
})
const shared = new Set(exported.filter((name, index) => exported.indexOf(name) !== index))

/** Each figure may fall, and does not rise unnoticed: lower the limit with the figure. */
const limits: [figure: string, value: number, limit: number][] = [
  ['source files', sources.length, 839],
  ['source lines', lines.length, 125_460],
  ['doc comments that begin with a preposition', comments.filter((line) => bareStart.test(line)).length, 0],
  ['descriptions that exist twice', repeated.size, 59],
  ['descriptions of REST that repeat GraphQL', ofRest.filter((text) => inGraphql.has(text)).length, 0],
  ['comment lines over 110 columns', comments.filter((line) => line.length > 110).length, 0],
  ['casts to never', lines.filter((line) => /\bas never\b/.test(line)).length, 3],
  ['names that several files export', shared.size, 177],
  ['weak maps', lines.filter((line) => /\bnew WeakMap\b/.test(line)).length, 2],
]

test.each(limits)('%s: %i of at most %i', (_, value, limit) => {
  expect(value).toBeLessThanOrEqual(limit)
})
