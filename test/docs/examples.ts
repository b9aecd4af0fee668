import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { program } from '../setup/program.ts'
import type { World } from '../setup/world.ts'
import { type Page, root } from './pages.ts'

/** A folder as the reader has it: packages and sources, and the description of what runs. */
export function openFolder(world: World): { path: string } & Disposable {
  const folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-docs-'))
  for (const name of ['node_modules', 'src']) symlinkSync(path.join(root, name), path.join(folder, name))
  mkdirSync(path.join(folder, '.tradegraph'))
  writeFileSync(path.join(folder, '.tradegraph', 'dev.json'), JSON.stringify(manifestOf(world)))
  const tradegraph = `node ${program()}`
  const manifest = { type: 'module', scripts: { tradegraph } }
  writeFileSync(path.join(folder, 'package.json'), JSON.stringify(manifest))
  return { path: folder, [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }) }
}

/** As `npm run dev` writes it. */
function manifestOf({ url, chain, market, database }: World) {
  const { network, tokens, accounts } = market
  return {
    url,
    graphql: `${url}/graphql`,
    stream: `${url}/graphql/stream`,
    databaseUrl: database.url,
    rpcUrl: chain.rpcUrl,
    chainId: network.chainId,
    network: network.name,
    settlement: network.settlement,
    vaultRelayer: network.vaultRelayer,
    tokens,
    cmsKey: 'cms-key-of-the-tests',
    accounts,
  }
}

interface Session {
  folder: string
  /** Applied to every block. */
  adapt(text: string): string
  /** Blocks of commands that are left out, by their first line. */
  skips(firstLine: string): boolean
  /** The time that all commands have together. */
  maxMs?: number
}

export interface Run {
  commands: string
  output: string
  /** What the page says that it prints. */
  expected: string | undefined
}

/**
 * Writes the files of a page, then runs its commands from top to bottom in one shell.
 * @throws with all output when one fails
 */
export async function runPage(
  { blocks }: Page,
  { folder, adapt, skips, maxMs = 170_000 }: Session,
): Promise<Run[]> {
  for (const { language, name, text } of blocks) {
    if (!isFile(language, name)) continue
    mkdirSync(path.join(folder, path.dirname(name)), { recursive: true })
    writeFileSync(path.join(folder, name), adapt(text))
  }
  const runs = blocks.flatMap(({ language, text }, index): Run[] => {
    if (language !== 'sh' || skips(text.split('\n', 1)[0] ?? '')) return []
    const next = blocks[index + 1]
    // A text with a name is not what the commands before it print.
    const isPrinted = next?.language === 'text' && next.name === ''
    return [{ commands: adapt(text), output: '', expected: isPrinted ? next.text : undefined }]
  })
  const marker = '--- the next block ---'
  const script = runs.map(({ commands }) => `${commands}\necho '${marker}'`).join('\n')
  const all = await shell(`set -e\n${script}`, folder, maxMs)
  const parts = all.split(`${marker}\n`)
  return runs.map((run, index) => ({ ...run, output: parts[index] ?? '' }))
}

export function isFile(language: string, name: string): boolean {
  return ['js', 'ts', 'json'].includes(language) && /^[\w./-]+\.(mjs|ts|json)$/.test(name)
}

/** Standard output and errors together. */
function shell(script: string, cwd: string, maxMs: number): Promise<string> {
  return new Promise((resolve, reject) => {
    const { npm_lifecycle_event: _, NODE_OPTIONS: __, VITEST: ___, ...environment } = process.env
    const child = spawn('bash', ['-c', `exec 2>&1\n${script}`], { cwd, env: environment, detached: true })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const end = () => {
      try {
        if (child.pid) process.kill(-child.pid, 'SIGKILL')
      } catch {}
    }
    const timer = setTimeout(end, maxMs)
    child.on('exit', (code) => {
      clearTimeout(timer)
      // What the page left running in the background.
      end()
      if (code === 0) resolve(output)
      else reject(new Error(`exit code ${code}\n${script}\n\n${output}`))
    })
  })
}

/** Lines without what differs from run to run. */
function shapes(text: string): string[] {
  return text
    .trim()
    .split('\n')
    .map((line) =>
      line
        .replaceAll(/0x[0-9a-fA-F]+/g, '0x…')
        .replaceAll(/\d+([.,]\d+)*/g, 'N')
        .trim(),
    )
}

/** Whether all lines are there, in this order; others may stand between them. */
export function holdsInOrder(output: string, expected: string): boolean {
  const lines = shapes(output)
  let from = 0
  return shapes(expected).every((line) => {
    const at = lines.indexOf(line, from)
    from = at + 1
    return at >= 0
  })
}
