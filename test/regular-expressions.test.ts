import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { parseSync } from 'vite'
import { describe, expect, test } from 'vitest'

/** The JavaScript build, because the default entry starts a native program if it finds one. */
const { checkSync } = createRequire(import.meta.url)('recheck/lib/browser.js') as typeof import('recheck')
const { version } = createRequire(import.meta.url)('recheck/package.json') as { version: string }

const root = path.join(import.meta.dirname, '..', 'src')

interface Expression {
  /** Such as `http/host.ts:13`. */
  at: string
  source: string
  flags: string
}

function sources(): string[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.includes('generated'),
  )
}

/** Calls `visit` for each node of a syntax tree. */
function walk(tree: unknown, visit: (node: Record<string, unknown>) => void): void {
  if (typeof tree !== 'object' || tree === null) return
  if (!Array.isArray(tree)) visit(tree as Record<string, unknown>)
  for (const child of Object.values(tree)) if (!(child instanceof RegExp)) walk(child, visit)
}

function read(file: string, text: string): { literals: Expression[]; constructed: string[] } {
  const { program, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file} is not parsed: ${errors[0]?.message}`)
  const literals: Expression[] = []
  const constructed: string[] = []
  walk(program, ({ type, regex, start, callee }) => {
    const at = () => `${file}:${text.slice(0, Number(start)).split('\n').length}`
    if (type === 'Literal' && regex) {
      const { pattern, flags } = regex as { pattern: string; flags: string }
      literals.push({ at: at(), source: pattern, flags })
    }
    if ((callee as { name?: string } | undefined)?.name === 'RegExp') constructed.push(at())
  })
  return { literals, constructed }
}

/** Undefined for an expression with linear time on any input. */
function fault({ at, source, flags }: Expression): string | undefined {
  const found = checkSync(source, flags, { timeout: 120_000 })
  if (found.status === 'safe') return undefined
  const why =
    found.status === 'vulnerable' ? `${found.complexity.summary}, ${found.attack.pattern}` : found.error.kind
  return `${at} /${source}/${flags}: ${why}`
}

/** Such as `/^a+$/i`; equal texts are checked once. */
const textOf = ({ source, flags }: Expression) => `/${source}/${flags}`

const list = path.join(import.meta.dirname, 'regular-expressions.json')

interface Kept {
  /** The version of recheck that found these safe. */
  recheck: string
  safe: string[]
}

/** Expressions that this version found safe, since each check takes a second. */
function readKept(text = readFileSync(list, 'utf8')): ReadonlySet<string> {
  const kept: Kept = JSON.parse(text)
  return new Set(kept.recheck === version ? kept.safe : [])
}

describe('regular expressions', () => {
  const files = sources().map((file) => read(file, readFileSync(path.join(root, file), 'utf8')))
  const literals = files.flatMap((file) => file.literals)

  test('take no more than linear time, and are listed (-u lists new ones)', {
    timeout: 300_000,
  }, async () => {
    expect(literals.length).toBeGreaterThan(80)
    const kept = readKept()
    const all = new Map(literals.map((literal) => [textOf(literal), literal]))
    const fresh = [...all].filter(([text]) => !kept.has(text))
    expect(fresh.map(([, literal]) => fault(literal)).filter(Boolean)).toEqual([])
    const safe = [...all.keys()].sort()
    const text = `${JSON.stringify({ recheck: version, safe } satisfies Kept, null, 2)}\n`
    await expect(text).toMatchFileSnapshot(list)
  })

  test('are checked again when the version of recheck changes', () => {
    expect(readKept(JSON.stringify({ recheck: version, safe: ['/a/'] }))).toEqual(new Set(['/a/']))
    expect(readKept(JSON.stringify({ recheck: '0.0.0', safe: ['/a/'] }))).toEqual(new Set())
  })

  test('are literals, so that this test can find them', () => {
    // Built from a checked literal, and digits in a bounded number between fixed characters.
    const known = ['domain/app-data/document.ts', 'graphql/node.ts', 'rest/openapi/parameters.ts']
    const others = files
      .flatMap((file) => file.constructed)
      .filter((at) => !known.includes(at.split(':')[0] ?? ''))
    expect(others).toEqual([])
  })

  test('with quadratic time are reported with file and line', () => {
    const { literals } = read('made-up.ts', 'const a = 1\nconst blank: RegExp = /^\\s*(identity)?\\s*$/i\n')
    expect(literals.map(fault)).toEqual([expect.stringMatching(/^made-up\.ts:2 .*2nd degree polynomial/)])
    expect(read('made-up.ts', "new RegExp('a')").constructed).toEqual(['made-up.ts:1'])
  })
})
