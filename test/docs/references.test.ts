import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from '../../codegen/references.ts'
import { storedLimitsOf } from '../../src/app/app.ts'
import { describeSettings, readSettings } from '../../src/app/config.ts'
import { root } from './pages.ts'

const pages = Object.entries(await referencePages())

test.each(pages)('%s is up to date: after a change run `npm run codegen`', (file, text) => {
  expect(text).toBe(readFileSync(path.join(root, file), 'utf8'))
})

test('the page of settings has the texts of `help settings`', () => {
  const page = readFileSync(path.join(root, 'docs/reference/settings.md'), 'utf8')
  const described = describeSettings()
  expect(described.length).toBeGreaterThan(50)
  for (const { name, says } of described) {
    const row = page.split('\n').find((other) => other.startsWith(`| \`${name}\` |`))
    expect(row, name).toContain(says.replace(/ \[.*\]$/, '').slice(0, 60))
  }
})

const limitsPage = readFileSync(path.join(root, 'docs/reference/limits.md'), 'utf8')
const [, storedData = ''] = limitsPage.split('## Stored data of clients\n')
const storedRows = storedData.split('\n').map((line) => line.split('|').map((cell) => cell.trim()))

test.each(Object.entries(storedLimitsOf(readSettings({}))))(
  'the page of limits has the bytes of %s that a client may have stored',
  (kind, { bytes }) => {
    const [, , , limit = ''] = storedRows.find(([, what]) => what?.split(',')[0] === kind) ?? []
    expect(limit).toContain(bytes < 2 ** 20 ? `${bytes / 2 ** 10} KiB` : `${bytes / 2 ** 20} MiB`)
  },
)
