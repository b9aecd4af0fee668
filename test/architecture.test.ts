import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'

const root = path.join(import.meta.dirname, '..', 'src')

/** Imports point down the tiers. */
const tiers = [
  ['domain', 'client'],
  ['http', 'outside', 'concurrency'],
  ['chain', 'market', 'solvers', 'storage'],
  ['app-data'],
  ['mirror', 'orders', 'quotes', 'auctions', 'indexer', 'notifications', 'tokens', 'affiliates', 'accounts'],
  ['graphql'],
  ['execution'],
  ['rest', 'sse', 'mcp'],
  ['server'],
  ['dev', 'app'],
]

/** The only imports between rooms of the same tier. */
const arrows = [
  'outside → concurrency',
  'market → chain',
  'orders → quotes',
  'auctions → quotes',
  'orders → notifications',
  'mirror → orders',
  'mirror → notifications',
  'auctions → notifications',
  'indexer → notifications',
  'dev → app',
  'app → dev',
]

/** The only places where a name may appear. */
const confined = [
  { what: 'Prisma', pattern: /@prisma\/|\/generated\/|PrismaClient/, room: 'storage' },
  { what: 'graphql-sse', pattern: /from 'graphql-sse/, room: 'sse', files: ['client/subscribe.ts'] },
  { what: 'the environment', pattern: /process\.env/, files: ['app/cli.ts'] },
]

interface Source {
  file: string
  room: string
  text: string
  imports: string[]
}

function readSources(): Source[] {
  return readdirSync(root, { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.tsx?$/.test(file) && !file.includes('generated'))
    .map((file) => {
      const text = readFileSync(path.join(root, file), 'utf8')
      const specifiers = [...text.matchAll(/(?:from|import\(|import)\s*'(\.[^']+)'/g)].map(
        ([, specifier = '']) => specifier,
      )
      const imports = specifiers.map((specifier) => path.normalize(path.join(path.dirname(file), specifier)))
      return { file, room: roomOf(file), text, imports }
    })
}

function roomOf(file: string): string {
  return file.split(path.sep)[0] ?? ''
}

function tierOf(room: string): number {
  return tiers.findIndex((rooms) => rooms.includes(room))
}

const sources = readSources()

/** Texts of all TypeScript files of the project, by path. */
const texts = new Map(
  [
    'build.ts',
    'codegen.ts',
    ...['src', 'test', 'bench', 'codegen', 'examples'].flatMap((folder) =>
      readdirSync(path.join(root, '..', folder), { recursive: true, encoding: 'utf8' })
        .filter((file) => /\.tsx?$/.test(file) && !/node_modules|\.cache/.test(file))
        .map((file) => path.join(folder, file)),
    ),
  ].map((file) => [file, readFileSync(path.join(root, '..', file), 'utf8')]),
)

describe('rooms', () => {
  test('the tiers list exactly the rooms that exist', () => {
    const rooms = new Set(sources.map(({ room }) => room))
    expect(tiers.flat().toSorted()).toEqual([...rooms].toSorted())
    expect(sources.length).toBeGreaterThan(50)
  })

  test('imports, also of types, point down the tiers or along a listed exception', () => {
    const wrong = sources.flatMap(({ file, room, imports }) =>
      imports
        .map((target) => ({ target, to: roomOf(target) }))
        .filter(({ to }) => to !== room && tierOf(to) >= tierOf(room) && !arrows.includes(`${room} → ${to}`))
        .map(({ target }) => `${file} → ${target}`),
    )
    expect(wrong).toEqual([])
  })

  test('no file is part of an import cycle', () => {
    const graph = new Map(sources.map(({ file, imports }) => [file, imports]))
    const settled = new Set<string>()
    const cycles: string[] = []
    const walk = (file: string, trail: readonly string[]) => {
      if (settled.has(file)) return
      if (trail.includes(file)) {
        cycles.push([...trail.slice(trail.indexOf(file)), file].join(' → '))
        return
      }
      for (const next of graph.get(file) ?? []) walk(next, [...trail, file])
      settled.add(file)
    }
    for (const { file } of sources) walk(file, [])
    expect(cycles).toEqual([])
  })

  test('no folder has a catch-all name such as utils', () => {
    const drawers = /^(utils?|helpers?|common|shared|lib|misc)$/
    const folders = sources.flatMap(({ file }) => path.dirname(file).split(path.sep))
    expect([...new Set(folders)].filter((name) => drawers.test(name))).toEqual([])
  })

  test.each(confined)('$what appears only where it is allowed', ({ pattern, room, files }) => {
    const elsewhere = sources.filter(
      (source) => pattern.test(source.text) && source.room !== room && !files?.includes(source.file),
    )
    expect(elsewhere.map(({ file }) => file)).toEqual([])
  })

  test('no literal is spread into another one: members are written directly', () => {
    const spread = /\s\.\.\.\{|\.\.\.\[[^[\]]*\](?=[,\n\]])/
    const found = [...texts].filter(([file, text]) => !file.includes('generated') && spread.test(text))
    expect(found.map(([file]) => file)).toEqual([])
  })

  // A subject decides what a file is. These are hints for a review, not faults.
  test('large folders and files are reported', () => {
    const folders = new Map<string, Set<string>>()
    for (const { file } of sources) {
      const parts = file.split(path.sep)
      for (const [depth, entry] of parts.entries()) {
        const folder = parts.slice(0, depth).join('/')
        folders.set(folder, (folders.get(folder) ?? new Set()).add(entry))
      }
    }
    const full = [...folders].filter(([, entries]) => entries.size > 30)
    const long = sources.map(({ file, text }) => ({ file, lines: text.split('\n').length }))
    const hints = [
      ...full.map(([folder, entries]) => `${folder} has ${entries.size} entries`),
      ...long.filter(({ lines }) => lines > 400).map(({ file, lines }) => `${file} has ${lines} lines`),
    ]
    if (hints.length > 0) process.stderr.write(`large: ${hints.join(', ')}\n`)
  })
})

describe('exports', () => {
  /** Names that each file's importers take from it; `*` stands for a whole module. */
  function importedNames(): Map<string, Set<string>> {
    const names = new Map<string, Set<string>>()
    const imports =
      /(?:(?:import|export)([^'";=]*?)from\s*|(\{[^{}]*\})\s*=\s*await import\(|import\(\s*)'(\.[^']+)'(?:\)\.(\w+))?/g
    for (const [file, text] of texts)
      for (const [, clause, parts, specifier = '', member] of text.matchAll(imports)) {
        const target = path.join(path.dirname(file), specifier)
        const listed = /\{([^}]*)\}/.exec(parts ?? clause ?? '')?.[1]?.split(',') ?? [member ?? '*']
        const known = names.get(target) ?? new Set()
        for (const part of listed)
          known.add(
            part
              .trim()
              .replace(/^type /, '')
              .split(/\s+as\s|:/)[0] ?? '',
          )
        names.set(target, known)
      }
    return names
  }

  test('are imported by another file, but for those of packages', () => {
    const imported = importedNames()
    const declared =
      /^export (?:abstract |async )?(?:const|let|function\*?|class|interface|type|enum) (\w+)/gm
    const unused = [...texts]
      .filter(([file]) => /^(src|test)\W/.test(file) && !/generated|app\/package/.test(file))
      .flatMap(([file, text]) => [...text.matchAll(declared)].map(([, name = '']) => ({ file, name })))
      .filter(({ file, name }) => !imported.get(file)?.has(name) && !imported.get(file)?.has('*'))
    expect(unused).toEqual([])
  })
})
