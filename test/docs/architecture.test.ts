import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPage, root } from './pages.ts'

const page = readPage('docs/architecture.md')
const source = path.join(root, 'src')

/** Folders below src, to two levels, without what is made. */
const folders = readdirSync(source, { recursive: true, encoding: 'utf8' })
  .filter((name) => name.split(path.sep).length <= 2 && !/generated|artifacts/.test(name))
  .filter((name) => statSync(path.join(source, name)).isDirectory())

/** Rows of the tables that say what a folder decides: its folders and its main files. */
const rows = [...page.text.matchAll(/^\| (`[^|]+) \| [^|]+ \| ([^|]*) \|$/gm)].map(
  ([, named = '', files = '']) => ({
    folders: codeIn(named),
    files: codeIn(files),
  }),
)

function codeIn(text: string): string[] {
  return [...text.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code)
}

test('the page names every folder of the program, to two levels', () => {
  const named = new Set(rows.flatMap((row) => row.folders))
  const usedInText = new Set(codeIn(page.text).map((code) => code.replace(/\/$/, '')))
  const own = folders.filter((name) => !name.includes(path.sep))
  expect(own.filter((name) => !named.has(name))).toEqual([])
  const isNamed = (name: string) => {
    const [folder = '', inner = ''] = name.split(path.sep)
    return (
      named.has(name) ||
      usedInText.has(name) ||
      rows.some(
        (row) => row.folders.includes(folder) && row.files.some((file) => file.startsWith(`${inner}/`)),
      )
    )
  }
  expect(folders.filter((name) => name.includes(path.sep) && !isNamed(name))).toEqual([])
})

describe('main files', () => {
  test.each(
    rows.filter(({ files }) => files.length > 0).map((row) => [row.folders.join(', '), row] as const),
  )('of %s exist', (_, row) => {
    const missing = row.files
      .filter((file) => /\.ts$|\/$/.test(file))
      .filter((file) => {
        const places = row.folders.flatMap((folder) => [
          path.join(source, folder, file),
          // Of several folders in one row, files are named from the one above.
          path.join(source, path.dirname(folder), file),
        ])
        return !places.some((place) => existsSync(place)) && !existsSync(path.join(root, file))
      })
    expect(missing).toEqual([])
    expect(row.files).toEqual([...new Set(row.files)])
  })
})

test('files that the glossary names exist', () => {
  const names = new Set(
    readdirSync(source, { recursive: true, encoding: 'utf8' }).map((name) => path.basename(name)),
  )
  const named = codeIn(readPage('docs/glossary.md').text).filter((code) => /^[\w/-]+\.ts$/.test(code))
  expect(named.length).toBeGreaterThan(3)
  expect(named.filter((name) => !names.has(path.basename(name)))).toEqual([])
})

describe('the diagram of tiers', () => {
  const [, diagram = ''] = /```mermaid\n([\s\S]*?)```/.exec(page.text) ?? []
  const rules = readFileSync(path.join(root, 'test', 'architecture.test.ts'), 'utf8')

  test('has the tiers of test/architecture.test.ts', () => {
    const drawn = [...diagram.matchAll(/subgraph .*\n([\s\S]*?)\n {2}end/g)].map(([, text = '']) =>
      [...new Set(text.match(/[a-z]+(?:-[a-z]+)?/g))].toSorted(),
    )
    const [, tiers = ''] = /const tiers = (\[[\s\S]*?\n\])/.exec(rules) ?? []
    const checked: string[][] = [...tiers.matchAll(/\n {2}\[([^\]]*)\]/g)].map(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, name = '']) => name).toSorted(),
    )
    expect(checked.length).toBeGreaterThan(5)
    expect(drawn.toReversed()).toEqual(checked)
  })

  test('has the arrows of test/architecture.test.ts', () => {
    const drawn = [...diagram.matchAll(/^ {4}([a-z-]+) --> ([a-z-]+)$/gm)].map(
      ([, from, to]) => `${from} → ${to}`,
    )
    const [, arrows = ''] = /const arrows = (\[[\s\S]*?\n\])/.exec(rules) ?? []
    const checked = [...arrows.matchAll(/'([^']+)'/g)].map(([, arrow]) => arrow)
    expect(checked.length).toBeGreaterThan(5)
    expect(drawn.toSorted()).toEqual(checked.toSorted())
  })
})

test('the page counts the folders', () => {
  const own = folders.filter((name) => !name.includes(path.sep))
  expect(page.text).toContain(`\`src/\` has ${own.length} folders in ten tiers`)
})

test('paths of sources that pages name below src exist', () => {
  const pages = ['docs/architecture.md', 'docs/performance.md', 'docs/explanation/stored-models.md']
  const inner = pages.flatMap((file) =>
    codeIn(readPage(file).text).filter((code) => /^[a-z-]+(\/[\w-]+)+\.ts$/.test(code)),
  )
  const known = rows.flatMap(({ files }) => files)
  const places = (file: string) => [path.join(source, file), path.join(root, file)]
  expect(
    inner.filter((file) => !known.includes(file) && !places(file).some((one) => existsSync(one))),
  ).toEqual([])
})

test('the table of the largest development dependencies names twenty that there are', () => {
  const manifest = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const known = { ...manifest.devDependencies, ...manifest.optionalDependencies }
  const { text } = readPage('CONTRIBUTING.md')
  const named = [...text.matchAll(/^\| `([^`]+)` \| (\d+) \| .+ \|$/gm)]
  expect(named.filter(([, name = '']) => !Object.hasOwn(known, name))).toEqual([])
  const sizes = named.map(([, , size]) => Number(size))
  expect(sizes).toHaveLength(20)
  expect(sizes).toEqual(sizes.toSorted((a, b) => b - a))
})
