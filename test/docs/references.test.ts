import { readFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { referencePages } from '../../codegen/references.ts'
import { describeSettings } from '../../src/app/config.ts'
import { root } from './pages.ts'

const pages = Object.entries(await referencePages())

test.each(pages)('%s is up to date: after a change run `npm run codegen`', (file, text) => {
  expect(text).toBe(readFileSync(path.join(root, file), 'utf8'))
})

test('the page of settings has the texts of --help', () => {
  const page = readFileSync(path.join(root, 'docs/reference/settings.md'), 'utf8')
  const lines = describeSettings().split('\n')
  expect(lines.length).toBeGreaterThan(50)
  for (const line of lines) {
    const [, name = '', text = ''] = /^ {2}(\S+) +(.*?)(?: \[.*\]$|$)/.exec(line) ?? []
    const row = page.split('\n').find((other) => other.startsWith(`| \`${name}\` |`))
    expect(row, name).toContain(text.slice(0, 60))
  }
})
