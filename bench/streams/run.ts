import { loadavg } from 'node:os'
import type { Undo } from '../setup.ts'
import type { ScenarioName, StreamOptions } from './options.ts'
import { measureExact } from './scenarios/exact.ts'
import { measureIdle } from './scenarios/idle.ts'
import { measureBook, measureMany, measureOne } from './scenarios/spread.ts'
import { measureStalled } from './scenarios/stalled.ts'
import { measureStorm } from './scenarios/storm.ts'
import { buildStand, type Print, type Stand } from './stand.ts'

export interface StreamResult {
  scenario: ScenarioName
  /** The machine's load, in the minute before the scenario's end. */
  load: number
  figures: unknown
}

type Scenario = (stand: Stand, options: StreamOptions, print: Print) => Promise<unknown>

const scenarios: Record<ScenarioName, Scenario> = {
  one: measureOne,
  many: measureMany,
  book: measureBook,
  idle: measureIdle,
  storm: measureStorm,
  stalled: measureStalled,
  exact: measureExact,
}

export async function runStreams(options: StreamOptions, undo: Undo, print: Print): Promise<StreamResult[]> {
  const stand = await buildStand(options, undo, print)
  const results: StreamResult[] = []
  for (const scenario of options.scenarios) {
    const figures = await scenarios[scenario](stand, options, print)
    const [load = 0] = loadavg()
    print(`load of the machine: ${load.toFixed(1)}\n`)
    results.push({ scenario, load, figures })
  }
  return results
}
