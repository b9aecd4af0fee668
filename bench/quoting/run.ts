import type { Figures, RowResult } from '../measure.ts'
import { countColumns, formatTable, quoteColumns } from '../report.ts'
import { startBenchChain } from '../servers/chain.ts'
import type { Undo } from '../setup.ts'
import type { QuotingOptions } from './options.ts'
import { buildPools, type PricedToken } from './pools.ts'
import { choosePairs, type QuestionOptions } from './questions.ts'
import { prepareSystems, type System } from './systems.ts'
import { type Counted, countedTurn, summarise, timedTurn, type Way, warm } from './turns.ts'

type Print = (line: string) => void

export interface QuotingResults {
  title: string
  rows: (RowResult & { counts?: Omit<Counted, 'figures'> })[]
}

/** A slow sequence, so that the time separates the program's own requests from those for quotes. */
const counted = { requests: 100, restMs: 50 }

export async function runQuoting(
  options: QuotingOptions,
  undo: Undo,
  print: Print,
): Promise<QuotingResults[]> {
  let tokens: PricedToken[] = []
  const chain = await startBenchChain(options.home, async (rpc, market) => {
    tokens = await buildPools(rpc, market, options.pools)
  })
  undo.push(chain.stop)
  const pairs = choosePairs(tokens, options.pairs)
  print(`${options.pools} pools between ${tokens.length} tokens; ${pairs.length} pairs are asked about`)
  const systems = await prepareSystems(options, chain, undo, print)
  const asked = (quality: string): QuestionOptions => ({
    pairs,
    quality,
    network: chain.market.network.name,
  })
  const measuring = { options, systems, rpcUrl: chain.rpcUrl, asked, print }
  const results = [...(await time(measuring)), await count(measuring)]
  return results
}

interface Measuring {
  options: QuotingOptions
  systems: readonly System[]
  rpcUrl: string
  asked: (quality: string) => QuestionOptions
  print: Print
}

interface Cell {
  system: System
  quality: string
  way: Way
  rounds: Figures[]
}

/** Measures all systems in turns; each process in every way, one after the other. */
async function time({ options, systems, rpcUrl, asked, print }: Measuring): Promise<QuotingResults[]> {
  const { rate, connections, qualities, rounds, seconds } = options
  const ways: Way[] = [{ rate }, ...connections.map((each) => ({ connections: each }))]
  const cells = systems.flatMap((system) =>
    ways.flatMap((way) => qualities.map((quality): Cell => ({ system, quality, way, rounds: [] }))),
  )
  for (let round = 1; round <= rounds; round++) {
    for (const system of systems) {
      const server = await system.start(rpcUrl)
      try {
        for (const quality of qualities) await warm(server, asked(quality))
        for (const cell of cells.filter((each) => each.system === system)) {
          const figures = await timedTurn(server, asked(cell.quality), cell.way, { seconds, seed: round })
          cell.rounds.push(figures)
          print(
            `${round}/${rounds} ${nameOf(cell)}, ${titleOf(cell.way)}: p50 ${figures.p50Ms.toFixed(1)} ms`,
          )
        }
      } finally {
        await server.stop()
      }
    }
  }
  return ways.map((way) => {
    const title = titleOf(way)
    const rows = cells
      .filter((cell) => cell.way === way)
      .map((cell) => ({ system: nameOf(cell), rounds: cell.rounds, figures: summarise(cell.rounds) }))
    print(`\n${formatTable(title, rows, quoteColumns)}\n`)
    return { title, rows }
  })
}

async function count({ options, systems, rpcUrl, asked, print }: Measuring): Promise<QuotingResults> {
  const rows: QuotingResults['rows'] = []
  for (const system of systems) {
    for (const quality of options.qualities) {
      const { figures, ...counts } = await countedTurn(system, rpcUrl, asked(quality), counted)
      rows.push({ system: nameOf({ system, quality }), rounds: [], figures, counts })
    }
  }
  const title = `Counted, ${counted.requests} quotes one after the other`
  print(`\n${formatTable(title, rows, countColumns)}\n`)
  for (const { system, counts } of rows) {
    print(`${system}, requests to the node for a quote: ${list(counts?.rpc)}`)
    print(`  by itself each second: ${list(counts?.rpcIdle)}`)
  }
  return { title, rows }
}

function list(counts: Record<string, number> = {}): string {
  const shown = Object.entries(counts).filter(([, count]) => count >= 0.005)
  return shown.map(([label, count]) => `${count.toFixed(2)} ${label}`).join(', ') || 'nothing'
}

function nameOf({ system, quality }: Pick<Cell, 'system' | 'quality'>): string {
  return `${system.system} ${quality}`
}

function titleOf(way: Way): string {
  if ('rate' in way) return `${way.rate} quotes a second`
  return `${way.connections} connection${way.connections === 1 ? '' : 's'}`
}
