import { setTimeout as pause } from 'node:timers/promises'
import type { Print } from '../../options.ts'
import { toTable } from '../../report.ts'
import type { Stand, System } from '../stand.ts'
import { countSince, resetCount, total } from '../statements.ts'

interface IdleFigures {
  system: string
  streams: number
  /** The number of answered streams. */
  open: number
  openMs: number
  core: number
  /** Statements per second. */
  statements: number | undefined
  rssMb: number
  /** The additional memory of each stream. */
  kibEach: number
  said: Record<string, number>
}

/** The needs of a hundred thousand streams, from the slope between the first and last measurement. */
interface Forecast {
  system: string
  streams: number
  gib: number
  core: number
}

/** Long enough for each stream to get its comments. */
const [restMs, watchMs] = [3_000, 25_000]
const foreseen = 100_000

export async function measureIdle(stand: Stand, { idle }: { idle: number[] }, print: Print) {
  const figures: IdleFigures[] = []
  const forecasts: Forecast[] = []
  for (const system of [stand.peer, stand.program]) {
    const none = await watch(stand, system, 0, undefined)
    const points = [none]
    for (const streams of idle) {
      const point = await watch(stand, system, streams, none)
      points.push(point)
      print(`idle ${system.name}, ${point.open} streams: ${point.kibEach.toFixed(1)} KiB each`)
    }
    figures.push(...points)
    const last = points.at(-1) ?? none
    const slope = (read: (of: IdleFigures) => number) => (read(last) - read(none)) / Math.max(1, last.open)
    forecasts.push({
      system: system.name,
      streams: foreseen,
      gib: (none.rssMb + slope(({ rssMb }) => rssMb) * foreseen) / 1_024,
      core: none.core + slope(({ core }) => core) * foreseen,
    })
  }
  print(`\nIdle streams\n${tableOf(figures)}`)
  for (const { said, system } of figures) {
    if (Object.keys(said).length > 0) print(`${system} said: ${JSON.stringify(said)}`)
  }
  for (const { system, gib, core } of forecasts) {
    print(
      `${system}: ${foreseen} would take ${gib.toFixed(1)} GiB and ${(core * 100).toFixed(0)} % of a core`,
    )
  }
  return { figures, forecasts }
}

async function watch(
  stand: Stand,
  system: System,
  streams: number,
  none: IdleFigures | undefined,
): Promise<IdleFigures> {
  const { crowds, databaseUrl } = stand
  const readers = await stand.readers(system, streams, Math.max(1, streams))
  const { port } = system.server
  await crowds.gather({ ports: [port], path: system.path, readers, atOnce: 50, resume: 'none' })
  const openMs = await crowds.open()
  await pause(restMs)
  await resetCount(databaseUrl)
  await system.server.vitals()
  await pause(watchMs)
  const { cpuMs, rssMb } = await system.server.vitals()
  const counted = system === stand.program ? total(await countSince(databaseUrl)) : undefined
  const { open, said } = await crowds.standing()
  await crowds.close()
  await pause(restMs)
  return {
    system: system.name,
    streams,
    open,
    openMs,
    core: cpuMs / watchMs,
    statements: counted && (counted * 1_000) / watchMs,
    rssMb,
    kibEach: open === 0 || !none ? 0 : ((rssMb - none.rssMb) * 1_024) / open,
    said,
  }
}

function tableOf(figures: readonly IdleFigures[]): string {
  return toTable(
    ['system', 'streams', 'open', 'opened in s', 'core %', 'SQL/s', 'MiB', 'KiB each'],
    figures.map((row) => [
      row.system,
      String(row.streams),
      String(row.open),
      (row.openMs / 1_000).toFixed(1),
      (row.core * 100).toFixed(1),
      row.statements?.toFixed(1) ?? '',
      row.rssMb.toFixed(0),
      row.kibEach.toFixed(1),
    ]),
  )
}
