import { setTimeout as pause } from 'node:timers/promises'
import type { Print } from '../../options.ts'
import type { ServerProcess } from '../../servers/process.ts'
import type { Stand } from '../stand.ts'

interface ExactResult {
  resume: 'after' | 'id'
  readers: number
  /** The requested events that were made in time. */
  events: number
  seconds: number
  delivered: number
  lost: number
  repeated: number
  missing: number
  kills: number
  /** Processes that did not restart at once. */
  failedStarts: number
  /** Reasons for which connections ended, and texts that are not events. */
  said: Record<string, number>
}

const [readers, rate, bytes, cutsPerSecond] = [1_000, 200, 120, 50]
/** Each event goes to a tenth of the readers: two cores cannot deliver 50,000 events to all in 15 minutes. */
const accounts = 10
/** The time after which no events are made. */
const maxMs = 210_000
const [settleMs, killMs, waitMs] = [1_000, 4_000, 60_000]
const maxFailedStarts = 5
/** The number of events by which readers may be behind when the next ones are made. */
const part = 500

/**
 * Cuts readers at random, which resume, over two processes that are ended in turns, every second time without
 * a warning.
 */
export async function measureExact(
  stand: Stand,
  options: { events: number },
  print: Print,
): Promise<ExactResult[]> {
  const results: ExactResult[] = []
  for (const resume of ['after', 'id'] as const) {
    const result = await run(stand, resume, Math.ceil(options.events / 2), print)
    const { delivered, lost, repeated, missing, kills, failedStarts, said, seconds } = result
    print(
      `exact by ${resume}: ${result.events} events in ${seconds.toFixed(0)} s, ${delivered} deliveries, ${lost} lost, ${missing} missing, ${repeated} repeated; ${kills} processes ended, ${failedStarts} failed starts\n  said: ${JSON.stringify(said)}`,
    )
    results.push(result)
  }
  return results
}

async function run(stand: Stand, resume: 'after' | 'id', events: number, print: Print): Promise<ExactResult> {
  const { crowds, program } = stand
  const processes: ServerProcess[] = [await stand.startAnother(0), await stand.startAnother(0)]
  const ports = processes.map(({ port }) => port)
  const crowd = await stand.readers(program, readers, accounts)
  await crowds.gather({ ports, path: program.path, readers: crowd, atOnce: 50, resume, cutsPerSecond })
  await crowds.open()
  await pause(settleMs)
  let isOver = false
  let [kills, failedStarts] = [0, 0]

  async function startAgain(port: number): Promise<ServerProcess> {
    for (;;) {
      try {
        return await stand.startAnother(port)
      } catch (fault) {
        if (++failedStarts >= maxFailedStarts) throw fault
        print(`a process did not start again: ${fault}`)
      }
    }
  }

  const killing = (async () => {
    while (!isOver) {
      await pause(killMs)
      const at = kills++ % processes.length
      const port = ports[at] ?? 0
      await processes[at]?.stop(kills % 4 < 2 ? 'SIGTERM' : 'SIGKILL')
      processes[at] = await startAgain(port)
    }
  })()
  let [last, missing, made] = [0, 0, 0]
  const started = performance.now()
  while (made < events && missing === 0 && performance.now() - started < maxMs) {
    // A slow machine delays readers, but does not invalidate the run.
    missing = await crowds.settle(last, waitMs)
    const count = Math.min(part, events - made)
    const { first } = await stand.emit({ to: 'database', count, rate, accounts, bytes })
    last = first + count - 1
    made += count
  }
  const seconds = (performance.now() - started) / 1_000
  isOver = true
  await killing
  missing = await crowds.settle(last, waitMs)
  const { delivered, lost, repeated, said } = await crowds.standing()
  await crowds.close()
  for (const process of processes) await process.stop()
  return {
    resume,
    readers,
    events: made,
    seconds,
    delivered,
    lost,
    repeated,
    missing,
    kills,
    failedStarts,
    said,
  }
}
