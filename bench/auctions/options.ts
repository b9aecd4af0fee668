import path from 'node:path'
import { parseArgs } from 'node:util'
import { cache, whole } from '../options.ts'

export interface AuctionOptions {
  orders: number[]
  swaps: number
  day: boolean
  resting: number
  auctions: number
  home: string
  profile: string | undefined
  json: string
}

export const auctionUsage = `usage: npm run bench -- auctions [flags]

Runs the whole program among resting orders: far limit orders of up to 1,000 owners on 300 pairs, every tenth owner a contract wallet and
every tenth with pre-hooks. A local chain with 200 pools and a block every second stands behind it. Tells the time of each phase of an
auction, the time from placing a swap over REST until it is told as filled, and what an auction costs in rows and bytes.

  --orders A,B      resting orders, one measurement each (default 100,1000,10000)
  --swaps N         swaps placed one after the other in each (default 20)
  --day             instead, a day of auctions in rows alone, without program and chain: what it costs in bytes and WAL, and how long the
                    report of one of its orders takes
  --resting N       of --day: orders that rest (default 5000)
  --auctions N      of --day: auctions (default 7200, one every 12 s)
  --home DIR        folder of the embedded database and the chain, kept between runs (default bench/.cache/auctions)
  --profile DIR     a CPU profile of each process of the program; the figures are worse for it
  --json FILE       where the figures go (default bench/results/auctions.json, or auctions-day.json)`

/** @throws with the fault */
export function readAuctionOptions(argv: readonly string[]): AuctionOptions {
  const { values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      orders: { type: 'string', default: '100,1000,10000' },
      swaps: { type: 'string', default: '20' },
      day: { type: 'boolean', default: false },
      resting: { type: 'string', default: '5000' },
      auctions: { type: 'string', default: '7200' },
      home: { type: 'string', default: path.join(cache, 'auctions') },
      profile: { type: 'string' },
      json: { type: 'string' },
    },
  })
  const file = values.day ? 'auctions-day.json' : 'auctions.json'
  return {
    orders: values.orders.split(',').map((text) => whole('orders', text, 10, 100_000)),
    swaps: whole('swaps', values.swaps, 1, 1_000),
    day: values.day,
    resting: whole('resting', values.resting, 100, 10_000),
    auctions: whole('auctions', values.auctions, 100, 1_000_000),
    home: values.home,
    profile: values.profile,
    json: values.json ?? path.join(import.meta.dirname, '..', 'results', file),
  }
}
