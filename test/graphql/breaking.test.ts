import { readFileSync } from 'node:fs'
import path from 'node:path'
import { type Change, CriticalityLevel, diff } from '@graphql-inspector/core'
import { buildSchema, type GraphQLSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

const root = path.join(import.meta.dirname, '..', '..')
const released = readFileSync(path.join(import.meta.dirname, 'released.graphql'), 'utf8')
const changelog = readFileSync(path.join(root, 'CHANGELOG.md'), 'utf8')

/** The changelog text under this heading of the unreleased version. */
function announced(text: string): string {
  const [, unreleased = ''] = /^## Unreleased\n([\s\S]*?)(?=^## |$(?![\s\S]))/m.exec(text) ?? []
  const [, section = ''] =
    /^### Breaking changes of the schema\n([\s\S]*?)(?=^### |$(?![\s\S]))/m.exec(unreleased) ?? []
  return section
}

/** Breaking changes whose path the changelog does not name in backticks. */
async function unannounced(from: GraphQLSchema, to: GraphQLSchema, text: string): Promise<string[]> {
  const section = announced(text)
  const changes: Change[] = await diff(from, to)
  return changes
    .filter(({ criticality }) => criticality.level === CriticalityLevel.Breaking)
    .filter((change) => !section.includes(`\`${change.path}\``))
    .map(({ path, message }) => `${path}: ${message}`)
}

test('the changelog names every change that breaks clients of the released schema', async () => {
  expect(await unannounced(buildSchema(released), schema, changelog)).toEqual([])
})

describe('a breaking change', () => {
  const from = buildSchema('type Query { a(b: Int): Int! old: Int @deprecated(reason: "2027-11") }')
  const ask = (sdl: string, section = '') =>
    unannounced(
      from,
      buildSchema(sdl),
      `## Unreleased\n\n${section}\n\n## 0.1.0\n\n### Breaking changes of the schema\n\n\`Query.a\`\n`,
    )

  test.each([
    ['a removed field', 'type Query { old: Int }', 'Query.a'],
    ['a removed deprecated field', 'type Query { a(b: Int): Int! }', 'Query.old'],
    ['a changed field type', 'type Query { a(b: Int): String! old: Int }', 'Query.a'],
    ['a field that becomes nullable', 'type Query { a(b: Int): Int old: Int }', 'Query.a'],
    ['an argument that becomes required', 'type Query { a(b: Int!): Int! old: Int }', 'Query.a.b'],
  ])('%s must be announced', async (_what, sdl, at) => {
    expect(await ask(sdl)).toEqual([expect.stringContaining(`${at}: `)])
    expect(await ask(sdl, `### Breaking changes of the schema\n\n- \`${at}\``)).toEqual([])
    expect(await ask(sdl, `### Changed\n\n- \`${at}\``)).toHaveLength(1)
  })

  test.each([
    ['a new field', 'type Query { a(b: Int): Int! old: Int more: Int }'],
    ['a new argument', 'type Query { a(b: Int, c: Int): Int! old: Int }'],
    ['a deprecation', 'type Query { a(b: Int): Int! @deprecated(reason: "2027-11") old: Int }'],
  ])('does not include %s', async (_what, sdl) => {
    expect(await ask(sdl)).toEqual([])
  })
})
