import path from 'node:path'
import { createLog } from '../../src/app/observing/log.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import { dueProgrammaticOrders, storeLooks } from '../../src/storage/chain/programmatic.ts'
import { duePolls, storePoll } from '../../src/storage/chain/programmatic-polls.ts'
import { openDatabase } from '../../src/storage/database/database.ts'
import { openEmbedded, query } from '../database/open.ts'
import { shape } from '../database/shape.ts'
import { post, type Question } from '../load/question.ts'
import { askOnce, quantile, runTurn } from '../load/turn.ts'
import { cache } from '../options.ts'
import { toTable } from '../report.ts'
import { startNode } from '../servers/node.ts'
import type { ServerProcess } from '../servers/process.ts'
import { benchNetwork, startProgram } from '../servers/program.ts'
import type { Undo } from '../setup.ts'
import { fillProgrammatic, headOf, namedIds, ownersOf } from './fill.ts'
import type { ProgrammaticOptions } from './options.ts'

type Print = (line: string) => void

interface System {
  server: ServerProcess
  url: string
  count: number
}

interface Quantiles {
  p50Ms: number
  p99Ms: number
}

export interface Figures {
  name: string
  small: Quantiles
  large: Quantiles
  /** The p50 over many programmatic orders over that over few. */
  ratio: number
}

/** Pages that are read before the one behind them is measured. */
const depth = 100

const addressOf = (number: number) => `0x${number.toString(16).padStart(40, '0')}` as Address
const random = (limit: number) => Math.floor(Math.random() * limit)
const anOwner = ({ count }: System) => addressOf(1 + random(ownersOf(count)))
/** The user of a proxy. */
const aUser = ({ count }: System) => addressOf(1_000_000_000 + 1 + random(Math.floor(ownersOf(count) / 10)))

const fields = `hash owner resolvedOwner type status statusReason creationDate filledParts executedSellAmount partCount`
const listOf = (args: string) =>
  `query(${args.includes('$owner') ? '$owner:Address,' : ''}$after:String){list:programmaticOrders(${args}first:10,after:$after){nodes{${fields}} pageInfo{endCursor hasNextPage}}}`
const accountDocument = `query($owner:Address!,$after:String){account(address:$owner){list:programmaticOrders(first:10,after:$after){nodes{${fields}} pageInfo{endCursor hasNextPage}}}}`
const detail = `query($owner:Address!,$hash:Bytes32!){programmaticOrder(owner:$owner,hash:$hash){${fields} diagnosis{code text}
  input{...on TwapInput{partSellAmount t n}} parts(first:10){nodes{index uid validFrom status order{uid status}}}
  orders(first:10){nodes{uid status executedSellAmount}} creations{nodes{txHash}}}}`

/** Lists by their documents, with the owner of a request, if it takes one. */
const lists: Record<string, { document: string; owner?: (system: System) => Address }> = {
  programmaticOrders: { document: listOf('') },
  'programmaticOrders(owner)': { document: listOf('owner:$owner,'), owner: anOwner },
  'programmaticOrders(owner with a tenth of all)': {
    document: listOf('owner:$owner,'),
    owner: () => addressOf(0),
  },
  'programmaticOrders(status: ACTIVE)': { document: listOf('status:[ACTIVE],') },
  'programmaticOrders(status: CANCELLED)': { document: listOf('status:[CANCELLED],') },
  'programmaticOrders(status: PARTLY_FILLED)': { document: listOf('status:[PARTLY_FILLED],') },
  'programmaticOrders(status: FILLED), of which there are none': { document: listOf('status:[FILLED],') },
  'programmaticOrders(type: TWAP)': { document: listOf('type:TWAP,') },
  'programmaticOrders(type: UNKNOWN)': { document: listOf('type:UNKNOWN,') },
  'programmaticOrders(changedAfter)': { document: listOf('changedAfter:"earliest",') },
  'account.programmaticOrders': { document: accountDocument, owner: aUser },
}

const composable = `items{eventId owner orderType status hash totalCreated:creationDate} totalCount pageInfo{hasNextPage}`
const composableLists: Record<string, { document: string; owner?: (system: System) => Address }> = {
  '/composable programmaticOrders with totalCount': {
    document: `{list:programmaticOrders(limit:50){${composable}}}`,
  },
  '/composable programmaticOrders(resolvedOwner)': {
    document: `query($owner:String){list:programmaticOrders(limit:50,where:{resolvedOwner:$owner}){${composable}}}`,
    owner: anOwner,
  },
  '/composable programmaticOrders(orderBy: creationDate)': {
    document: `{list:programmaticOrders(limit:50,orderBy:"creationDate",orderDirection:"desc"){${composable}}}`,
  },
  '/composable conditionalOrderGenerators(status: Active)': {
    document: `{list:conditionalOrderGenerators(limit:50,where:{status:Active}){items{eventId status} pageInfo{hasNextPage}}}`,
  },
  '/composable conditionalOrderGenerators(status: Active) with totalCount': {
    document: `{list:conditionalOrderGenerators(limit:50,where:{status:Active}){items{eventId status} totalCount}}`,
  },
}

const questionOf = (path: string, document: string, variables: object): Question => ({
  request: post(path, JSON.stringify({ query: document, variables })),
  expect: '"data":',
})

/** The cursor behind a hundred pages, or behind all but the last if there are fewer. */
async function deepCursor(
  { server }: System,
  document: string,
  owner: Address | undefined,
): Promise<string | null> {
  let after: string | null = null
  for (let page = 0; page < depth; page++) {
    const { request } = questionOf('/graphql', document, { owner, after })
    const { data, errors } = JSON.parse((await askOnce(server.port, request)).body.toString())
    if (errors) throw new Error(`${document}: ${JSON.stringify(errors)}`)
    const { pageInfo } = data.list ?? data.account.list
    if (!pageInfo.hasNextPage) break
    after = pageInfo.endCursor
  }
  return after
}

/** Measures of a system: each returns the next request, or does its work. */
type Measure = { next: () => Question } | { run: () => Promise<void> }

async function requestsOf(
  system: System,
  wants: (name: string) => boolean,
): Promise<Record<string, Measure>> {
  const measures: Record<string, Measure> = {}
  for (const [name, { document, owner }] of Object.entries(lists)) {
    if (!wants(name)) continue
    measures[name] = { next: () => questionOf('/graphql', document, { owner: owner?.(system), after: null }) }
    const one = owner?.(system)
    const after = await deepCursor(system, document, one)
    if (after !== null)
      measures[`${name}, behind ${depth} pages`] = {
        next: () => questionOf('/graphql', document, { owner: one, after }),
      }
  }
  const named = await query<{ owner: Buffer; hash: Buffer }>(
    system.url,
    'SELECT owner, hash FROM programmatic_orders WHERE id = ANY($1)',
    [namedIds],
  )
  const hex = (value: Buffer | undefined) => `0x${value?.toString('hex')}`
  measures['programmaticOrder with its parts and orders'] = {
    next: () => {
      const row = named[random(named.length)]
      return questionOf('/graphql', detail, { owner: hex(row?.owner), hash: hex(row?.hash) })
    },
  }
  for (const [name, { document, owner }] of Object.entries(composableLists))
    measures[name] = {
      next: () => questionOf('/composable/graphql', document, owner ? { owner: owner(system) } : {}),
    }
  return measures
}

/** Looks and polls, by the functions of the indexer and of the watch tower, without a node. */
function statementsOf({ url, count }: System, undo: Undo): Record<string, Measure> {
  const db = openDatabase({ url, maxConnections: 2 })
  undo.push(() => db.close())
  const { chainId } = shape.network
  // Behind the blocks of earlier runs.
  let block = headOf(count) + Math.floor(Date.now() / 1_000)
  const polls = { busy: [], perOwner: 8, limit: 128 }
  const at = () => ({ number: headOf(count), timestamp: Math.floor(Date.now() / 1_000) })
  return {
    'the look round: 3,000 that are due': {
      async run() {
        await dueProgrammaticOrders(db, chainId, { block, limit: 3_000 })
      },
    },
    'the look round: 3,000 that are stored': {
      async run() {
        block += 30
        const due = await dueProgrammaticOrders(db, chainId, { block, limit: 3_000 })
        const contexts = await query<{
          id: string
          context: Buffer
          starts_at: string
          ends_at: string
          part_count: string
        }>(
          url,
          'SELECT id, context, starts_at, ends_at, part_count FROM programmatic_orders WHERE id = ANY($1) AND removed_block IS NULL',
          [due.map(({ id }) => String(id))],
        )
        const number = (text: string | null) => (text === null ? null : Number(text))
        const looks = contexts.map((row) => ({
          ...{ id: BigInt(row.id), isAuthorised: true, context: BigInt(`0x${row.context.toString('hex')}`) },
          ...{ type: 'TWAP' as const, partCount: number(row.part_count), startsAt: number(row.starts_at) },
          ...{ endsAt: number(row.ends_at), fault: null, nextLook: block + 30 },
          ...{ byRoot: false, closedThrough: Math.floor(Date.now() / 1_000) },
        }))
        await db.transaction((tx) => storeLooks(tx, chainId, { number: block, time: new Date() }, looks))
      },
    },
    'the tower: orders that are due': {
      async run() {
        await duePolls(db, chainId, { lane: 'asked', at: at(), ...polls })
      },
    },
    'the tower: a round of polls': {
      async run() {
        const due = await duePolls(db, chainId, { lane: 'asked', at: at(), ...polls })
        for (const poll of due)
          await storePoll(db, poll, at(), { result: 'notMet', reason: null, next: { time: 5, block: null } })
      },
    },
  }
}

async function timesOf(
  measure: Measure,
  { server }: System,
  requests: number,
  name: string,
): Promise<number[]> {
  if ('next' in measure) {
    const turn = await runTurn({ port: server.port, connections: 1, requests, next: measure.next })
    if (turn.firstError) throw new Error(`${name}: ${turn.firstError}`)
    return turn.latencies
  }
  const times: number[] = []
  for (let run = 0; run < Math.min(requests, 10); run++) {
    const started = performance.now()
    await measure.run()
    times.push(performance.now() - started)
  }
  return times
}

function quantilesOf(times: readonly number[]): Quantiles {
  const sorted = times.toSorted((a, b) => a - b)
  return { p50Ms: quantile(sorted, 0.5), p99Ms: quantile(sorted, 0.99) }
}

/** Measures lists, details, looks and polls over few and over many programmatic orders. */
export async function runProgrammatic(
  options: ProgrammaticOptions,
  undo: Undo,
  print: Print,
): Promise<Figures[]> {
  const node = await startNode()
  undo.push(node.close)
  const systems: System[] = []
  for (const [index, count] of [options.small, options.large].entries()) {
    const database = await openEmbedded(options.home, `programmatic_${count}`, createLog('warn'))
    if (index === 0) undo.push(database.stop)
    await fillProgrammatic(database.url, count, options.fresh, print)
    const server = await startProgram({
      source: options.source,
      target: path.join(cache, 'programmatic_program'),
      databaseUrl: database.url,
      rpcUrl: node.url,
      network: { ...benchNetwork, conditionalOrders: {} },
      built: index > 0,
      env: { BOOK_FEED_ACCESS: 'public' },
      print,
    })
    undo.push(server.stop)
    systems.push({ server, url: database.url, count })
  }
  const wants = (name: string) => options.only === undefined || name.includes(options.only)
  const measures: Record<string, Measure>[] = []
  for (const system of systems)
    measures.push({ ...(await requestsOf(system, wants)), ...statementsOf(system, undo) })
  const figures: Figures[] = []
  for (const name of Object.keys(measures[1] ?? {}).filter((each) => wants(each) && measures[0]?.[each])) {
    const times = systems.map((): number[] => [])
    // The first round warms up.
    for (let round = 0; round <= options.rounds; round++)
      for (const [index, system] of systems.entries()) {
        const measure = measures[index]?.[name]
        if (!measure) continue
        const found = await timesOf(measure, system, options.requests, name)
        if (round > 0) times[index]?.push(...found)
      }
    const [small, large] = times.map(quantilesOf)
    if (!small || !large) throw new Error('nothing was measured')
    figures.push({ name, small, large, ratio: large.p50Ms / small.p50Ms })
    print(`${name}: ${large.p50Ms.toFixed(1)} ms, p99 ${large.p99Ms.toFixed(1)} ms`)
  }
  print(`\n${options.small} and ${options.large} programmatic orders\n${tableOf(figures)}`)
  return figures
}

function tableOf(figures: readonly Figures[]): string {
  return toTable(
    ['measure', 'p50 ms', 'p99 ms', 'large p50 ms', 'large p99 ms', 'p50 x'],
    figures.map(({ name, small, large, ratio }) => [
      name,
      small.p50Ms.toFixed(1),
      small.p99Ms.toFixed(1),
      large.p50Ms.toFixed(1),
      large.p99Ms.toFixed(1),
      ratio.toFixed(2),
    ]),
  )
}
