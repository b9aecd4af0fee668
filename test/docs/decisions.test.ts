import { readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { readPage, root } from './pages.ts'

const names = readdirSync(path.join(root, 'docs', 'decisions'))
  .filter((name) => name !== 'README.md')
  .toSorted()
const index = readPage('docs/decisions/README.md').text

describe('records of decisions', () => {
  test('are numbered without a gap', () => {
    expect(names.map((name) => name.slice(0, 4))).toEqual(
      names.map((_, position) => String(position + 1).padStart(4, '0')),
    )
  })

  test.each(names)('%s has its parts, is short, and is in the index', (name) => {
    const { text } = readPage(`docs/decisions/${name}`)
    const [, number, title] = /^# (\d+)\. (.+)$/m.exec(text) ?? []
    const [, date] = /^Date: (\d{4}-\d\d-\d\d)$/m.exec(text) ?? []
    expect(number).toBe(String(Number(name.slice(0, 4))))
    expect(index).toContain(`| ${name.slice(0, 4)} | [${title}](${name}) | ${date} |`)
    for (const part of ['Context', 'Decision', 'Consequence']) expect(text).toContain(`\n**${part}.** `)
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(22)
  })
})
