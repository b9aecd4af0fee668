import { mkdirSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { auctions } from './auctions/run.ts'
import { documents } from './documents/run.ts'
import { feed } from './feed/run.ts'
import { follow } from './follow/run.ts'
import { month } from './month/run.ts'
import type { Undo } from './options.ts'
import { orders } from './placing/run.ts'
import { quotes } from './quoting/run.ts'
import { soak } from './soak/run.ts'
import { streams } from './streams/run.ts'

const suites = [documents, month, orders, quotes, auctions, streams, feed, follow, soak]

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}

function writeResults(json: string, results: object): void {
  const [cpu] = os.cpus()
  const machine = { cpu: cpu?.model, cores: os.cpus().length, node: process.version }
  mkdirSync(path.dirname(json), { recursive: true })
  writeFileSync(json, `${JSON.stringify({ machine, ...results }, null, 2)}\n`)
  print(`written to ${path.relative(process.cwd(), json)}`)
}

async function main([name, ...argv]: readonly string[]): Promise<void> {
  const suite = suites.find((each) => each.name === name)
  if (name === '--help' || argv.includes('--help'))
    return print((suite ? [suite] : suites).map(({ usage }) => usage).join('\n\n'))
  if (!suite)
    throw new Error(
      `usage: npm run bench -- ${suites.map((each) => each.name).join('|')} [flags]; --help lists them`,
    )
  const { settings, run } = suite.read(argv)
  const undo: Undo = []
  let ending: Promise<void> | undefined
  const end = () => {
    ending ??= takeBack(undo)
    return ending
  }
  for (const [signal, code] of Object.entries({ SIGINT: 130, SIGTERM: 143 }))
    process.once(signal, () => end().finally(() => process.exit(code)))
  try {
    const { isRight, ...results } = await run(undo, print)
    writeResults((settings as { json: string }).json, { settings, ...results })
    if (!isRight) process.exitCode = 1
  } finally {
    await end()
  }
}

/** Runs all steps, even after one fails (a signal may have ended its server): the last one stops the database. */
async function takeBack(undo: Undo): Promise<void> {
  for (const step of undo.toReversed()) {
    try {
      await step()
    } catch (error) {
      print(`at the end: ${error instanceof Error ? error.message : error}`)
    }
  }
}

main(process.argv.slice(2)).catch((error) => {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n`)
  process.exit(1)
})
