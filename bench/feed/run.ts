import path from 'node:path'
import { createLog } from '../../src/app/observing/log.ts'
import { openEmbedded } from '../database/open.ts'
import { post, type Question } from '../load/question.ts'
import { quantile, runTurn } from '../load/turn.ts'
import { cache, number, rounds, seconds, source, suite } from '../options.ts'
import { toTable } from '../report.ts'
import { startNode } from '../servers/node.ts'
import type { ServerProcess } from '../servers/process.ts'
import { startProgram } from '../servers/program.ts'
import { type CommitFigures, measureCommits } from './commits.ts'
import { fillFeed, lastPlace, owners } from './fill.ts'

interface PageFigures {
  list: string
  small: { p50Ms: number; p99Ms: number }
  large: { p50Ms: number; p99Ms: number }
  /** The large feed's p99 over that of the small one. */
  ratio: number
  errors: number
}

const info = 'pageInfo { endCursor hasNextPage }'
const event = `nodes { cursor isRemoved eventId event { label timestamp } order { uid owner } } ${info}`

/** Places before the end, from which every page has a next one. */
const margin = 8_000

/** Pages by their lists. */
const lists: Record<string, string> = {
  bookEvents: `bookEvents(after: $after, first: 100) { ${event} }`,
  'bookEvents with one owner of a hundred': `bookEvents(filter: { owners: $owners }, after: $after, first: 100) { ${event} }`,
  'orders(changedAfter)': `orders(changedAfter: $after, first: 100) { nodes { uid status executedSellAmount } ${info} }`,
  'trades(changedAfter)': `trades(changedAfter: $after, first: 100) { nodes { id isReverted sellAmount buyAmount txHash } ${info} }`,
}

export const feed = suite({
  name: 'feed',
  about: `
Pages of a hundred of the feed of the book, and of orders and trades by their changes, from random places of a small feed and
of a large one in turns. Then the commits a second of transactions that write a trade and its event: without entries in feeds,
with the entry of the event, and with that of the trade too.`,
  flags: {
    small: number('events; a twentieth as many orders, a tenth as many trades', 100_000, 10_000, 100_000_000),
    large: number('events of the large feed', 10_000_000, 10_000, 100_000_000),
    requests: number('pages of each kind in a turn', 500, 10, 100_000),
    rounds: rounds(4),
    seconds: seconds(5),
    source,
  },
  async run(options, undo, print) {
    const node = await startNode()
    undo.push(node.close)
    const sizes = [options.small, options.large]
    const systems: { server: ServerProcess; events: number }[] = []
    for (const [index, events] of sizes.entries()) {
      const database = await openEmbedded(options.home, `feed_${events}`, createLog('warn'))
      if (index === 0) undo.push(database.stop)
      await fillFeed(database.url, events, print)
      const server = await startProgram({
        source: options.source,
        target: path.join(cache, 'feed_program'),
        databaseUrl: database.url,
        rpcUrl: node.url,
        built: index > 0,
        env: { BOOK_FEED_ACCESS: 'public' },
        print,
      })
      undo.push(server.stop)
      systems.push({ server, events })
    }
    const pages: PageFigures[] = []
    for (const [list, field] of Object.entries(lists))
      pages.push(await measurePages(list, field, systems, options))
    print(`\nPages of ${sizes[0]} and of ${sizes[1]} events\n${tableOf(pages)}`)
    const { url } = await openEmbedded(options.home, 'feed_commits', createLog('warn'))
    await fillFeed(url, 10_000, print)
    const commits = await measureCommits(url, options.seconds, options.rounds)
    print(`\n${commitsTable(commits)}`)
    return { pages, commits, isRight: pages.every(({ errors }) => errors === 0) }
  },
})

async function measurePages(
  list: string,
  field: string,
  systems: readonly { server: ServerProcess; events: number }[],
  { requests, rounds }: { requests: number; rounds: number },
): Promise<PageFigures> {
  const latencies = systems.map((): number[] => [])
  let errors = 0
  // The first round warms up.
  for (let round = 0; round <= rounds; round++)
    for (const [index, { server, events }] of systems.entries()) {
      const next = () => pageAt(field, Math.floor(Math.random() * (lastPlace(events) - margin)))
      const turn = await runTurn({ port: server.port, connections: 1, requests, next })
      if (turn.firstError) throw new Error(`${list}: ${turn.firstError}`)
      errors += turn.errors
      if (round > 0) latencies[index]?.push(...turn.latencies)
    }
  const [small, large] = latencies.map((all) => {
    const sorted = all.sort((a, b) => a - b)
    return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
  })
  if (!small || !large) throw new Error('nothing was measured')
  return { list, small, large, ratio: large.p99Ms / small.p99Ms, errors }
}

function pageAt(field: string, place: number): Question {
  const owner = `0x${(place % owners).toString(16).padStart(40, '0')}`
  const filter = field.includes('$owners') ? ',$owners:[Address!]' : ''
  const query = `query($after:String${filter}){page:${field}}`
  return {
    request: post(
      '/graphql',
      JSON.stringify({ query, variables: { after: String(Math.max(2, place)), owners: [owner] } }),
    ),
    expect: '"hasNextPage":true',
  }
}

function tableOf(pages: readonly PageFigures[]): string {
  return toTable(
    ['page', 'p50 ms', 'p99 ms', 'large p50 ms', 'large p99 ms', 'p50 x', 'p99 x'],
    pages.map(({ list, small, large, ratio }) => [
      list,
      small.p50Ms.toFixed(1),
      small.p99Ms.toFixed(1),
      large.p50Ms.toFixed(1),
      large.p99Ms.toFixed(1),
      (large.p50Ms / small.p50Ms).toFixed(2),
      ratio.toFixed(2),
    ]),
  )
}

function commitsTable(commits: readonly CommitFigures[]): string {
  return toTable(
    ['a commit writes', 'commits/s'],
    commits.map(({ entries, perSecond }) => [entries, perSecond.toFixed(0)]),
  )
}
