import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPage, root } from './pages.ts'

const names = readdirSync(path.join(root, 'docs', 'decisions'))
  .filter((name) => name !== 'README.md')
  .toSorted()
const index = readPage('docs/decisions/README.md').text
const lines = index.split('\n').filter((line) => line.startsWith('- '))

describe('decisions', () => {
  test('are in the index by their numbers, without a gap, each with a record or a line', () => {
    expect(lines.map((line) => line.slice(0, 7))).toEqual(
      lines.map((_, position) => `- ${String(position + 1).padStart(4, '0')} `),
    )
    for (const line of lines) expect(line.slice(7).split(' ').length).toBeGreaterThan(4)
  })

  test.each(names)('the record %s is short, and is in the index by its title', (name) => {
    const { text } = readPage(`docs/decisions/${name}`)
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
    expect(number).toBe(String(Number(name.slice(0, 4))))
    expect(lines).toContain(`- ${name.slice(0, 4)} [${title}](${name})`)
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(12)
  })

  test('have 8,000 words at most', () => {
    const texts = [index, ...names.map((name) => readPage(`docs/decisions/${name}`).text)]
    expect(texts.join(' ').split(/\s+/).length).toBeLessThanOrEqual(8_000)
  })
})
