import { leastOrders, shape } from '../database/shape.ts'
import { fitToSchema } from '../documents/older.ts'
import { isConnection, readSchema } from '../documents/schema.ts'
import type { Options } from '../options.ts'
import { toTable } from '../report.ts'
import { prepareDatabase, startServers, type Undo } from '../setup.ts'
import { documents } from '../suites/documents.ts'
import { fillResting, type Resting } from './fill.ts'
import { formatPages, getJson, postGraphql, timeFirstPage } from './first-page.ts'
import { askList, askReport, lists } from './pages.ts'
import { type Page, type Walk, walk } from './walk.ts'

type Print = (line: string) => void

/** The measured report with a page of a hundred auctions. */
const reportDocument = documents.debug.replace('auctions(first: 20)', 'auctions(first: 100)')

interface NamedWalk extends Walk {
  what: string
}

/** Measures the report of an order that rested for a month, by its first page and by all pages. */
export async function runMonth(options: Options, undo: Undo, print: Print) {
  const settings = { ...options, orders: leastOrders, postgraphile: false }
  const { url } = await prepareDatabase(settings, undo, print, 'bench_month')
  const resting = await fillResting(url, options.auctions, print)
  const { servers } = await startServers(settings, url, undo, print)
  const { program, other } = servers
  const results = [await readMonth('tradegraph', program.port, resting, options.page, print)]
  if (other) results.push(await readMonth('against', other.port, resting, options.page, print))
  return { results, right: results.every(({ right }) => right) }
}

async function readMonth(system: string, port: number, resting: Resting, size: number, print: Print) {
  const uid = `0x${resting.uid.toString('hex')}`
  const report = `http://127.0.0.1:${port}/${shape.network.name}/api/v1/debug/order/${uid}`
  const schema = await readSchema(port)
  const document = fitToSchema(reportDocument, schema)
  const pages = [
    await timeFirstPage('REST report', () => getJson(report)),
    await timeFirstPage('GraphQL report', () => postGraphql(port, document, { uid })),
  ]
  const lacking: string[] = []
  const walks: NamedWalk[] = []
  const walked = async (
    what: string,
    direction: 'up' | 'down',
    ask: (cursor: string | undefined) => Promise<Page>,
  ) => {
    const { firstAuction: first, auctions: items } = resting
    try {
      walks.push({ what, ...(await walk(ask, { first, items, direction })) })
    } catch (error) {
      lacking.push(`${what}: ${error instanceof Error ? error.message : error}`)
    }
  }
  for (const list of lists) {
    const type = list.path.length > 1 ? 'DebugReport' : 'Order'
    if (isConnection(schema, type, 'auctions'))
      await walked(list.what, list.direction, (cursor) => askList(port, list, { uid, size, cursor }))
    else lacking.push(`${list.what}: ${type}.auctions is a list without pages`)
  }
  if (pages[0]?.next) await walked('REST, Link rel=next', 'down', (next) => askReport(next ?? report))
  else lacking.push('REST report: it names no next page (Link: rel="next")')
  print(`\n${system}, an order in ${resting.auctions} auctions\n${formatPages(pages)}`)
  if (walks.length > 0) print(`\n${formatWalks(walks)}`)
  for (const reason of lacking) print(`not walked: ${reason}`)
  const right =
    lacking.length === 0 && pages.every(({ fault }) => !fault) && walks.every(({ fault }) => !fault)
  return { system, pages, walks, lacking, right }
}

function formatWalks(walks: readonly NamedWalk[]): string {
  const head = [
    'all pages',
    'pages',
    'auctions',
    'seconds',
    'longest page ms',
    'largest page',
    'nothing repeated or missed',
  ]
  const lines = walks.map(({ what, pages, items, seconds, longestPageMs, largestPage, fault }) => [
    what,
    String(pages),
    String(items),
    seconds.toFixed(1),
    longestPageMs.toFixed(1),
    String(largestPage),
    fault ?? 'true',
  ])
  return toTable(head, lines)
}
