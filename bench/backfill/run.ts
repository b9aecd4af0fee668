import { mkdirSync, writeFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import path from 'node:path'
import { createLog } from '../../src/app/observing/log.ts'
import { openEmbedded, query } from '../database/open.ts'
import { median } from '../load/turn.ts'
import { cache } from '../options.ts'
import { toTable } from '../report.ts'
import { networkText } from '../servers/network-text.ts'
import { installPonder } from '../servers/ponder.ts'
import { startServer } from '../servers/process.ts'
import { build } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import { checkRows } from './check.ts'
import { headOf, network, prepareOrders, tradeBlocks } from './data.ts'
import type { BackfillOptions, SystemName } from './options.ts'
import { type Command, runTurn, type Turn, type TurnFigures } from './turn.ts'

const database = 'bench_backfill'
/** The order book has no limit; the program's own is one that no turn reaches. */
const callsPerMinute = 1_000_000

interface Stand {
  orders: number
  url: string
  rpcUrl: string
  bookUrl: string
  /** The file of the program's command. */
  program: string
  profile: string | undefined
}

export interface BackfillResults {
  rounds: Record<string, TurnFigures[]>
  faults: string[]
}

export async function runBackfill(
  options: BackfillOptions,
  undo: Undo,
  print: (line: string) => void,
): Promise<BackfillResults> {
  const { orders, only } = options
  const file = await prepareOrders(orders)
  const source = path.join(import.meta.dirname, '..', '..')
  const serve = async (name: string) => {
    const script = path.join(import.meta.dirname, `${name}.ts`)
    const server = await startServer({ name, args: ['--import', 'tsx', script, file] })
    undo.push(() => server.stop())
    return `http://127.0.0.1:${server.port}`
  }
  const server = await openEmbedded(options.home, database, createLog('warn'))
  undo.push(server.stop)
  const stand: Stand = {
    ...{ orders, url: server.url, profile: options.profile },
    rpcUrl: await serve('node'),
    bookUrl: await serve('order-book'),
    program: build({ source, target: path.join(cache, `backfill_${process.pid}`), print }),
  }
  const rounds: Record<string, TurnFigures[]> = {}
  const faults: string[] = []
  for (let round = 0; round < options.rounds; round++)
    for (const name of round % 2 === 0 ? only : only.toReversed()) {
      await empty(server.url)
      const kills = name === 'follower' || name === 'import' ? options.kills : 0
      const figures = await runTurn({ ...turns[name](stand), name, orders, kills }, undo)
      rounds[name] = [...(rounds[name] ?? []), figures]
      const found = name === 'follower' || name === 'import' ? await checkRows(server.url, file) : []
      faults.push(...found.map((fault) => `${name}: ${fault}`))
      print(
        `${name}: ${lineOf(figures, orders)}; load ${loadavg()[0]?.toFixed(1)}${found.length ? `; ${found.join(', ')}` : ''}`,
      )
    }
  print(`\n${tableOf(rounds, orders)}`)
  return { rounds, faults }
}

async function empty(url: string): Promise<void> {
  const admin = new URL(url)
  admin.pathname = '/postgres'
  await query(admin.href, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  await query(admin.href, `CREATE DATABASE ${database}`)
  await query(admin.href, 'CHECKPOINT')
}

type SystemTurn = Omit<Turn, 'name' | 'orders' | 'kills'>

const turns: Record<SystemName, (stand: Stand) => SystemTurn> = {
  indexer: (stand) => ({
    command: tradegraph(stand, ['index'], { poolFactory: `0x${'55'.repeat(20)}`, baseTokens: [] }),
    progress: () => count(stand, 'SELECT count(*) FROM trades'),
    isDone: () => isAtHead(stand),
  }),
  follower: (stand) => ({
    command: tradegraph(stand, ['index'], { orderBook: orderBook(stand, 'all') }),
    progress: () => count(stand, 'SELECT count(*) FROM mirrored_orders'),
    isDone: async () =>
      (await isAtHead(stand)) &&
      (await count(stand, 'SELECT count(*) FROM mirrored_orders')) === stand.orders,
  }),
  import: (stand) => ({
    command: tradegraph(
      stand,
      [
        'import',
        '--from-block',
        '1',
        '--to-block',
        `${tradeBlocks(stand.orders)}`,
        '--calls-per-minute',
        '0',
      ],
      { orderBook: orderBook(stand, 'accounts') },
    ),
    progress: () => count(stand, 'SELECT count(*) FROM mirrored_orders'),
    ends: true,
  }),
  ponder: (stand) => {
    const folder = path.join(cache, 'ponder')
    const port = 20_000 + (process.pid % 10_000)
    return {
      command: {
        args: [...installPonder(folder), 'start', '--schema', 'ponder', '--port', `${port}`],
        cwd: folder,
        env: {
          DATABASE_URL: stand.url,
          RPC_URL: stand.rpcUrl,
          CHAIN_ID: `${network.chainId}`,
          SETTLEMENT: network.settlement,
          FIRST_BLOCK: `${network.firstBlock}`,
          PONDER_TELEMETRY_DISABLED: 'true',
          NODE_ENV: 'production',
          HOME: folder,
        },
      },
      progress: () => count(stand, 'SELECT count(*) FROM ponder_sync.blocks'),
      isDone: () =>
        fetch(`http://127.0.0.1:${port}/ready`).then(
          ({ status }) => status === 200,
          () => false,
        ),
    }
  },
}

const orderBook = ({ bookUrl: url }: Stand, history: string) => ({ url, callsPerMinute, history })

/** The command of the program as shipped, over one network. */
function tradegraph(
  { url, rpcUrl, program, profile }: Stand,
  words: readonly string[],
  more: object,
): Command {
  const networks = path.join(cache, 'backfill', 'networks.json')
  writeFileSync(networks, networkText([{ ...network, ...more, rpcUrl }]))
  if (profile !== undefined) mkdirSync(profile, { recursive: true })
  const flags = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${path.resolve(profile)}`]
  return {
    args: [process.execPath, ...flags, program, ...words],
    env: {
      DATABASE_URL: url,
      NETWORKS_FILE: networks,
      PORT: '0',
      LOG_LEVEL: 'warn',
      NODE_ENV: 'production',
    },
  }
}

/** Counts rows; none while the tables are missing. */
async function count({ url }: Stand, statement: string): Promise<number> {
  const rows = await query<{ count: string }>(url, statement).catch(() => [])
  return Number(rows[0]?.count ?? 0)
}

async function isAtHead(stand: Stand): Promise<boolean> {
  return (await count(stand, 'SELECT max(block_number) AS count FROM checkpoints')) === headOf(stand.orders)
}

function lineOf({ seconds, cpuSeconds, peakMb, kills }: TurnFigures, orders: number): string {
  const rate = (orders / seconds).toFixed(0)
  return `${rate} orders/s, ${seconds.toFixed(1)} s, CPU ${cpuSeconds.toFixed(1)} s, peak ${peakMb.toFixed(0)} MB, ${kills} kills`
}

function tableOf(rounds: Record<string, TurnFigures[]>, orders: number): string {
  const rows = Object.entries(rounds).map(([name, figures]) => {
    const of = (member: keyof TurnFigures) => median(figures.map((each) => each[member]))
    return { name, rate: orders / of('seconds'), cpu: of('cpuSeconds'), peak: of('peakMb') }
  })
  const rateOf = (name: string) => rows.find((row) => row.name === name)?.rate
  const peakOf = rows.find(({ name }) => name === 'indexer')?.peak
  const ratio = (rate: number, to: number | undefined) => (to ? (rate / to).toFixed(2) : '')
  return toTable(
    ['system', 'orders/s', '× indexer', '× Ponder', 'CPU s', 'peak MB', 'over the indexer'],
    rows.map(({ name, rate, cpu, peak }) => [
      ...[name, rate.toFixed(0), ratio(rate, rateOf('indexer')), ratio(rate, rateOf('ponder'))],
      ...[cpu.toFixed(1), peak.toFixed(0), peakOf ? (peak - peakOf).toFixed(0) : ''],
    ]),
  )
}
