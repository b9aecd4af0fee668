import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { settings } from '../../src/app/settings.ts'
import { type Page, proseOf, readPage, readPages, root } from './pages.ts'

const pages = [...readPages(), readPage('CHANGELOG.md')]
const named = (list: readonly Page[]) => list.map((page) => [page.file, page] as const)
const current = pages.filter(({ file }) => file !== 'CHANGELOG.md')

/** Of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
}

function anchorsOf(file: string): string[] {
  return [...proseOf(readPage(file)).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading))
}

test.each(named(pages))('links of %s lead to files and headings that exist', (_, page) => {
  const links = [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  const broken = links
    .filter((target) => !/^https?:/.test(target))
    .filter((target) => {
      const [file = '', anchor] = target.split('#')
      const found = file === '' ? page.file : path.posix.join(path.posix.dirname(page.file), file)
      if (!existsSync(path.join(root, found))) return true
      return anchor !== undefined && !anchorsOf(found).includes(anchor)
    })
  expect(broken).toEqual([])
})

test.each(named(current))('files and folders that %s names exist', (_, page) => {
  const paths = [
    ...page.text.matchAll(/`((?:src|test|bench|docs|prisma|codegen|node_modules)\/[\w./@-]*[\w/])`/g),
  ].map(([, name = '']) => name)
  const made = ['src/storage/generated', 'docs/reference/settings.md']
  expect(paths.filter((name) => !made.includes(name) && !existsSync(path.join(root, name)))).toEqual([])
})

/** Names in capitals that are no settings of the program. */
const notSettings = [
  /^(ORDER|INSUFFICIENT|PRICE)_(FILLED|PARTIALLY_FILLED|EXPIRED|CANCELLED|BALANCE|IMPROVEMENT)$/,
  /^(PERSISTED_QUERY_NOT_FOUND|LIMIT_OUT_OF_BOUNDS|IN_FLIGHT|BANNED_USER|INVALID_SIGNATURE|UNSUPPORTED_TOKEN|DUST_ORDER|MISSING_NATIVE_PRICE)$/,
  /^(SLOW_CONSUMER|SHUTTING_DOWN|NOT_SENT|NOT_ASKED|NO_BID|REVERTS_AFTER_OTHERS|ORDER_CANCELLED|PRICE_OUT_OF_REACH|ALLOWANCE_MISSING)$/,
  /^(TEST_POSTGRES_URL|TEST_SEED|NATS_SERVER)$/,
  /^(NO|FORCE)_COLOR$/,
  /^HOSTILE_ORDERS$/,
  /^(PRICE_IMPACT|PRICE_UNKNOWN|FAILED_GAS_SPENT)$/,
  /^(PARTLY_FILLED|PART_FILLED|PART_ENDED|PLACED_ELSEWHERE)$/,
  /^ROLLING_(RESTARTS|RATE)$/,
  /^(WEBHOOK_SECRET|POSTGRES_PASSWORD|RATE_LIMIT_READ)$/,
]

test.each(named(current))('settings that %s names exist', (_, page) => {
  const names = [...page.text.matchAll(/\b([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)\b/g)].map(([, name = '']) => name)
  const unknown = names.filter(
    (name) => !(name in settings.shape) && !notSettings.some((other) => other.test(name)),
  )
  expect([...new Set(unknown)]).toEqual([])
})

test.each(named(current))('npm scripts that %s names exist', (_, page) => {
  const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
  const names = [...page.text.matchAll(/npm run (?:--silent )?([\w:]+)/g)].map(([, name = '']) => name)
  expect(names.filter((name) => !(name in scripts))).toEqual([])
})

test('lines of the log that pages quote are logged', () => {
  const source = readdirSync(path.join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.includes('generated'))
    .map((name) => readFileSync(path.join(root, 'src', name), 'utf8'))
    .join('\n')
  const lines = current.flatMap(({ text }) =>
    [...text.matchAll(/`((?:an outside|a token|no token) source [^`]+)`/g)].map(([, line = '']) =>
      line.replaceAll(/\s+/g, ' '),
    ),
  )
  expect(lines.length).toBeGreaterThan(5)
  expect(lines.filter((line) => !source.includes(`'${line}'`))).toEqual([])
})

test('every page of docs is linked from another page', () => {
  const targets = new Set(
    current.flatMap((page) =>
      [...proseOf(page).matchAll(/\]\(([^)\s#]+)[^)]*\)/g)].map(([, target = '']) =>
        path.posix.join(path.posix.dirname(page.file), target),
      ),
    ),
  )
  expect(
    current.map(({ file }) => file).filter((file) => file !== 'README.md' && !targets.has(file)),
  ).toEqual([])
})

test('pictures are small, and each is shown', () => {
  const pictures = readdirSync(path.join(root, 'docs', 'images'))
  expect(pictures.length).toBeGreaterThan(0)
  for (const name of pictures) {
    expect(statSync(path.join(root, 'docs', 'images', name)).size).toBeLessThan(300_000)
    expect(current.some(({ text }) => text.includes(`images/${name}`))).toBe(true)
  }
})
