import { priceQualities } from '../../src/domain/quote/quote.ts'
import type { Figures, RowResult } from '../measure.ts'
import {
  against,
  names,
  number,
  numbers,
  type OptionsOf,
  type Print,
  profile,
  rounds,
  seconds,
  suite,
} from '../options.ts'
import { countColumns, formatTable, quoteColumns } from '../report.ts'
import { startBenchChain } from '../servers/chain.ts'
import { prepareSystems, type System } from '../servers/systems.ts'
import { buildPools, type PricedToken } from './pools.ts'
import { choosePairs, type QuestionOptions } from './questions.ts'
import { type Counted, countedTurn, summarise, timedTurn, type Way, warm } from './turns.ts'

interface QuotingResult {
  name: string
  rows: (RowResult & { counts?: Omit<Counted, 'figures'> })[]
}

/** A slow sequence, so that the time separates the program's own requests from those for quotes. */
const counted = { requests: 100, restMs: 50 }

const flags = {
  pools: number('pools on the chain', 200, 10, 5_000),
  pairs: number('pairs of tokens that are asked about, 0 for all there are', 300, 0, 1_000_000),
  rate: number('quotes a second when they are paced', 50, 1, 10_000),
  seconds: seconds(10),
  rounds: rounds(3),
  connections: numbers('requests on their way at a time when they are not paced', [1, 10], 1, 1_000),
  quality: names('price qualities', priceQualities, ['optimal', 'verified']),
  against,
  profile,
}

export const quotes = suite({
  name: 'quotes',
  about: `
Asks the program for quotes over REST: random pairs, sizes and sides, the same in every run. A local chain with many pools
and a block every second stands behind it. First paced, each quote timed from when it was due; then as fast as the
connections go; then counted, with a proxy before the node that tells how much of a quote's time is the node's.`,
  flags,
  async run(options, undo, print) {
    let tokens: PricedToken[] = []
    const chain = await startBenchChain(options.home, async (rpc, market) => {
      tokens = await buildPools(rpc, market, options.pools)
    })
    undo.push(chain.stop)
    const { network, solver } = chain.market
    const pairs = choosePairs(tokens, options.pairs)
    print(`${options.pools} pools between ${tokens.length} tokens; ${pairs.length} pairs are asked about`)
    const env = { SOLVER_PRIVATE_KEY: solver.privateKey }
    const systems = await prepareSystems({ ...options, name: 'quotes', env }, chain, undo, print)
    const asked = (quality: string): QuestionOptions => ({ pairs, quality, network: network.name })
    const measuring = { options, systems, rpcUrl: chain.rpcUrl, asked, print }
    const results = [...(await time(measuring)), ...(await count(measuring))]
    return {
      results,
      isRight: results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors)),
    }
  },
})

interface Measuring {
  options: OptionsOf<typeof flags>
  systems: readonly System[]
  rpcUrl: string
  asked: (quality: string) => QuestionOptions
  print: Print
}

/** Measures all systems in turns; each process in every way, one after the other. */
async function time({ options, systems, rpcUrl, asked, print }: Measuring): Promise<QuotingResult[]> {
  const { rate, connections, quality: qualities, rounds, seconds } = options
  const ways: Way[] = [{ rate }, ...connections.map((each) => ({ connections: each }))]
  const cells = ways.flatMap((way) =>
    qualities.map((quality) => ({
      way,
      quality,
      name: `${titleOf(way)}, ${quality}`,
      turns: new Map(systems.map(({ system }): [string, Figures[]] => [system, []])),
    })),
  )
  for (let round = 1; round <= rounds; round++) {
    for (const { system, start } of systems) {
      const server = await start(rpcUrl)
      try {
        for (const quality of qualities) await warm(server, asked(quality))
        for (const { way, quality, name, turns } of cells) {
          const figures = await timedTurn(server, asked(quality), way, { seconds, seed: round })
          turns.get(system)?.push(figures)
          print(`${round}/${rounds} ${system}, ${name}: p50 ${figures.p50Ms.toFixed(1)} ms`)
        }
      } finally {
        await server.stop()
      }
    }
  }
  const results = cells.map(({ name, turns }) => ({
    name,
    rows: [...turns].map(([system, figures]) => ({ system, rounds: figures, figures: summarise(figures) })),
  }))
  print(`\n${formatTable('quotes', results, quoteColumns)}\n`)
  return results
}

async function count({ options, systems, rpcUrl, asked, print }: Measuring): Promise<QuotingResult[]> {
  const results: QuotingResult[] = []
  for (const quality of options.quality) {
    const rows: QuotingResult['rows'] = []
    for (const system of systems) {
      const { figures, ...counts } = await countedTurn(system, rpcUrl, asked(quality), counted)
      rows.push({ system: system.system, rounds: [], figures, counts })
    }
    results.push({ name: quality, rows })
  }
  const title = `counted, ${counted.requests} quotes one after the other`
  print(`\n${formatTable(title, results, countColumns)}\n`)
  for (const { name, rows } of results)
    for (const { system, counts } of rows) {
      print(`${system}, requests to the node for a quote (${name}): ${list(counts?.rpc)}`)
      print(`  by itself each second: ${list(counts?.rpcIdle)}`)
    }
  return results
}

function list(counts: Record<string, number> = {}): string {
  const shown = Object.entries(counts).filter(([, count]) => count >= 0.005)
  return shown.map(([label, count]) => `${count.toFixed(2)} ${label}`).join(', ') || 'nothing'
}

function titleOf(way: Way): string {
  if ('rate' in way) return `${way.rate} a second`
  return `${way.connections} connection${way.connections === 1 ? '' : 's'}`
}
