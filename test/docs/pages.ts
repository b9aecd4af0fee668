import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

export const root = path.join(import.meta.dirname, '..', '..')

interface Block {
  language: string
  /** What follows the language: the file that it stands for, or the setting. */
  name: string
  text: string
}

export interface Page {
  /** From the root, such as docs/tutorial.md. */
  file: string
  text: string
  blocks: Block[]
}

/** README, CONTRIBUTING and every page of docs. */
export function readPages(): Page[] {
  const docs = readdirSync(path.join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => path.posix.join('docs', name))
    .toSorted()
  return ['README.md', 'CONTRIBUTING.md', ...docs].map(readPage)
}

export function readPage(file: string): Page {
  const text = readFileSync(path.join(root, file), 'utf8')
  return { file, text, blocks: blocksOf(text) }
}

/** Fenced blocks; one in a list is indented as a whole. */
function blocksOf(text: string): Block[] {
  return [...text.matchAll(/^( *)```(\w*) ?([^\n]*)\n([\s\S]*?)^ *```$/gm)].map(
    ([, indent = '', language = '', name = '', body = '']) => ({
      language,
      name,
      text: body
        .split('\n')
        .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
        .join('\n'),
    }),
  )
}

/** The page without its blocks. */
export function proseOf({ text }: Page): string {
  return text.replaceAll(/^( *)```[\s\S]*?^ *```$/gm, '')
}
