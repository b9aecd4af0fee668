import { existsSync, readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'

/** Reads the documentation of the package as Markdown. */

/** The folder in a clone, and in the package, where the program is two folders deeper. */
const folders = ['../../../docs', '../../../../docs'].map((above) => path.join(import.meta.dirname, above))

interface Documentation {
  /** The text of a page, such as `how-to/run-locally.md`; undefined if there is none of this name. */
  page(name: string): string | undefined
  /** The index in the form of llms.txt: a line for each page. */
  index(): string
  /** The pages of the index, each behind its address, as one text in the form of llms-full.txt. */
  all(): string
}

const sections: readonly [title: string, folder: string][] = [
  ['Start', ''],
  ['How-to', 'how-to'],
  ['Reference', 'reference'],
  ['Explanation', 'explanation'],
]

const title = [
  '# Tradegraph\n',
  '> A GraphQL gateway and service for intent trading: quotes, signed orders, batch auctions, settlement, notifications.\n',
]

/** Only files that the folder lists are read: a name leads to no other place. */
export function createDocumentation(): Documentation {
  const folder = folders.find((each) => existsSync(path.join(each, 'README.md')))
  const files = folder === undefined ? [] : readdirSync(folder, { recursive: true, encoding: 'utf8' })
  const names = new Set(
    files.filter((file) => file.endsWith('.md')).map((file) => file.replaceAll(path.sep, '/')),
  )
  const page = (name: string) =>
    folder !== undefined && names.has(name) ? readFileSync(path.join(folder, name), 'utf8') : undefined

  const pagesOf = (below: string) =>
    [...names]
      .filter((name) => path.posix.dirname(name) === (below || '.'))
      .toSorted()
      .map((name) => [name, page(name) ?? ''] as const)

  return {
    page,
    index: () => {
      const listOf = (below: string) => pagesOf(below).map(([name, text]) => lineOf(name, text))
      const parts = sections.map(([heading, below]) => `## ${heading}\n\n${listOf(below).join('\n')}\n`)
      return [
        ...title,
        'The pages below are Markdown. `/schema.graphql` is the GraphQL schema, `/openapi.json` describes REST, and `/mcp`, where the deployment enables it, has the tools for agents.\n',
        ...parts,
        `## Optional\n\n${lineOf('decisions/README.md', page('decisions/README.md') ?? '')}\n`,
      ].join('\n')
    },
    all: () => {
      const pages = sections.flatMap(([, below]) => pagesOf(below))
      return [...title, ...pages.map(([name, text]) => `---\n\nPage: /docs/${name}\n\n${text}`)].join('\n')
    },
  }
}

const maxSummary = 160

function lineOf(name: string, text: string): string {
  const [, title = name] = /^# (.+)$/m.exec(text) ?? []
  const first = text.split(/\n\n+/).find((block) => /^[A-Z`*[]/.test(block)) ?? ''
  const plain = first
    .replace(/\s+/g, ' ')
    .replace(/\[([^[\]]{0,200})\]\([^()]{0,200}\)/g, '$1')
    .replace(/\*\*/g, '')
  const [sentence = plain] = /^.*?[.:](?= |$)/.exec(plain) ?? []
  const short = sentence.length > maxSummary ? `${sentence.slice(0, maxSummary)}…` : sentence
  return `- [${title}](/docs/${name}): ${short}`
}
