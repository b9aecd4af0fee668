import { loadavg } from 'node:os'
import { type Flag, names, number, numbers, profile, rounds, seconds, source, suite } from '../options.ts'
import { measureExact } from './scenarios/exact.ts'
import { measureIdle } from './scenarios/idle.ts'
import { measureBook, measureMany, measureOne } from './scenarios/spread.ts'
import { measureStalled } from './scenarios/stalled.ts'
import { measureStorm } from './scenarios/storm.ts'
import { buildStand } from './stand.ts'

const scenarios = {
  one: measureOne,
  many: measureMany,
  book: measureBook,
  idle: measureIdle,
  storm: measureStorm,
  stalled: measureStalled,
  exact: measureExact,
}
const scenarioNames = ['one', 'many', 'book', 'idle', 'storm', 'stalled', 'exact'] as const

const loads: Flag<{ streams: number; rate: number }[]> = {
  form: 'AxB,…',
  help: 'of one: streams x events a second',
  preset: '1000x20,5000x5',
  read: (text = '') =>
    text.split(',').map((load) => {
      const [streams = Number.NaN, rate = Number.NaN] = load.split('x').map(Number)
      if (!(streams >= 1 && rate >= 1)) throw new Error(`--loads takes AxB, not ${load}`)
      return { streams, rate }
    }),
}

export const streams = suite({
  name: 'streams',
  about: `
Event streams of the program beside a hand-written node:http server that shares one buffer an event. A process of its own makes
the events: it gives the peer its bytes over a socket, and commits the program's into a database. Two more processes read all
streams, and check that no event is lost or repeated. Everybody reads one clock.

  one      streams of one account, at each of --loads, in turns
  many     1,000 accounts that share 200 events a second
  book     events of all orders: streams of 100 filters with 100 events a second, and a tenth as many without a filter
  idle     streams that get nothing: CPU, statements and memory
  storm    1,000 readers come back at once, each 50 events behind; first to one account, then to an account each
  stalled  ten readers stop reading at 100 events/s of 32 KiB
  exact    1,000 readers of ten accounts that are cut by chance and resume, over two processes that are killed in turns`,
  flags: {
    only: names('of these', scenarioNames),
    source,
    loads,
    seconds: seconds(5),
    rounds: rounds(3),
    book: number('streams of book', 10_000, 100, 19_500),
    idle: numbers('of idle: numbers of streams, ascending', [1_000, 5_000, 10_000, 19_500], 1, 100_000),
    stalled: number('of stalled: seconds in which events are made', 40, 1, 600),
    events: number('of exact: events in all', 10_000, 100, 1_000_000),
    profile,
  },
  async run(options, undo, print) {
    const stand = await buildStand(options, undo, print)
    const results = []
    for (const scenario of options.only) {
      const figures = await scenarios[scenario](stand, options, print)
      const [load = 0] = loadavg()
      print(`load of the machine: ${load.toFixed(1)}\n`)
      results.push({ scenario, load, figures })
    }
    return { results, isRight: true }
  },
})
