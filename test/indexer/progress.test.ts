import { beforeEach, expect, test } from 'vitest'
import { createTextLog } from '../../src/app/observing/log.ts'
import type { Log } from '../../src/domain/log.ts'
import { createProgress, type Progress } from '../../src/indexer/progress.ts'
import { silentLog } from '../fakes/silent-log.ts'

let time: number
let said: unknown[]
let progress: Progress
const log: Log = { ...silentLog, info: (message, fields) => said.push([message, fields]) }
const options = { network: 'testnet', now: () => time, log }
const caughtUp = ['caught up', { network: 'testnet', what: 'blocks' }]

beforeEach(() => {
  time = 1_000_000
  said = []
  progress = createProgress({ ...options, what: 'blocks' })
})

/** Ten blocks every 100 ms, towards block 10,000. */
function run(seconds: number, from: number): number {
  for (let step = 1; step <= seconds * 10; step++) {
    time += 100
    progress.moved(from + step * 10, 10_000)
  }
  return from + seconds * 100
}

test('tells blocks behind, rate and time left, and reports them every ten seconds', () => {
  expect(progress.state()).toBeUndefined()
  progress.moved(0, 10_000)
  const at = run(20, 0)
  expect(progress.state()).toEqual({ blocksBehind: 8_000, blocksPerSecond: 100, secondsLeft: 80 })
  const reported = (blocksBehind: number, blocksPerSecond: number, secondsLeft: number | null) => [
    'catching up',
    { network: 'testnet', what: 'blocks', blocksBehind, blocksPerSecond, secondsLeft },
  ]
  expect(said).toEqual([reported(10_000, 0, null), reported(9_000, 100, 90), reported(8_000, 100, 80)])
  said = []
  run(80, at)
  expect(progress.state()).toEqual({ blocksBehind: 0, blocksPerSecond: 100, secondsLeft: 0 })
  expect([said.length, said.at(-1)]).toEqual([8, caughtUp])
})

test('counts the rate of the last minute only', () => {
  progress.moved(0, 10_000)
  const at = run(30, 0)
  time += 30_000
  expect(progress.state()).toMatchObject({ blocksBehind: 7_000, blocksPerSecond: 50 })
  time += 60_000
  expect(progress.state()).toEqual({ blocksBehind: 7_000, blocksPerSecond: 0, secondsLeft: null })
  run(10, at)
  expect(progress.state()).toMatchObject({ blocksPerSecond: 100 })
})

test('says nothing while it follows a chain block by block, also after a reorg', () => {
  for (const [at, goal] of [
    [100, 100],
    [101, 102],
    [102, 102],
    [90, 102],
    [102, 102],
  ] as const) {
    time += 12_000
    progress.moved(at, goal)
  }
  expect(said).toEqual([])
  expect(progress.state()).toEqual({ blocksBehind: 0, blocksPerSecond: 1, secondsLeft: 0 })
})

test('shows one line on a terminal, which other lines replace, and only lines elsewhere', async () => {
  const shown = (isTTY: boolean) => {
    const parts: string[] = []
    const screen = { isTTY, columns: 200, write: (part: string) => parts.push(part) > 0 }
    return { log: createTextLog('info', [], screen), text: () => parts.join('') }
  }
  const terminal = shown(true)
  const onTerminal = createProgress({ ...options, log: terminal.log, what: 'blocks' })
  onTerminal.moved(100, 10_100)
  time += 10_000
  onTerminal.moved(5_100, 10_100)
  terminal.log.warn('a node is away', { node: null })
  onTerminal.moved(10_100, 10_100)
  const clear = '\r\x1b[K'
  expect(terminal.text().split('\n')).toEqual([
    `${clear}catching up (network: testnet, what: blocks, blocksBehind: 10000, blocksPerSecond: 0)`,
    `${clear}[############------------] 50 % testnet: blocks, 5000 behind, 10 s left${clear}warning: a node is away`,
    `${clear}${clear}caught up (network: testnet, what: blocks)`,
    '',
  ])
  expect(shown(false).log.progress).toBeUndefined()
})
