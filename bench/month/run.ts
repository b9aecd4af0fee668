import { minOrders, shape } from '../database/shape.ts'
import { reads } from '../documents/reads.ts'
import { against, number, suite, toggle } from '../options.ts'
import { prepareDatabase, startServers } from '../setup.ts'
import { fillResting } from './fill.ts'
import { formatPages, timeFirstPage } from './first-page.ts'

/** The measured report with a page of a hundred auctions. */
const query = reads.debug.replace('auctions(first: 20)', 'auctions(first: 100)')

export const month = suite({
  name: 'month',
  about:
    'Reads the report of an order that was in very many auctions, over REST and GraphQL: its first page.',
  flags: {
    auctions: number('those of its order; an auction every 12 s for 30 days', 216_000, 1_000, 1_000_000),
    fresh: toggle('fill anew'),
    against,
  },
  async run(options, undo, print) {
    const { url } = await prepareDatabase(
      { ...options, orders: minOrders, brief: 0 },
      undo,
      print,
      'bench_month',
    )
    const resting = await fillResting(url, options.auctions, print)
    const { systems } = await startServers(options, url, undo, print)
    const uid = `0x${resting.toString('hex')}`
    const results = []
    for (const [system, { port }] of Object.entries(systems)) {
      const path = `/${shape.network.name}/api/v1/debug/order/${uid}`
      const pages = [
        await timeFirstPage('REST report', port, path),
        await timeFirstPage('GraphQL report', port, '/graphql', { query, variables: { uid } }),
      ]
      print(`\n${system}, an order in ${options.auctions} auctions\n${formatPages(pages)}`)
      results.push({ system, pages })
    }
    return { results, isRight: results.every(({ pages }) => pages.every(({ fault }) => !fault)) }
  },
})
