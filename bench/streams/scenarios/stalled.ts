import { setTimeout as pause } from 'node:timers/promises'
import type { Print } from '../../options.ts'
import type { Stand } from '../stand.ts'

interface StalledResult {
  readers: number
  megabytes: number
  /** The program's memory, once a second. */
  rssMb: number[]
  /** Texts that readers got, or reasons for which their streams ended. */
  said: Record<string, number>
  /** Missing events after readers resumed by their cursors. */
  missing: number
  lost: number
  repeated: number
}

const [readers, rate, bytes] = [10, 100, 32 * 1_024]
const [settleMs, drainMs, waitMs] = [1_000, 3_000, 60_000]

/** Measures readers that stop reading, then read the rest, and resume. */
export async function measureStalled(
  stand: Stand,
  { stalled: stalledSeconds }: { stalled: number },
  print: Print,
): Promise<StalledResult> {
  const { crowds, program } = stand
  const { path } = program
  // They read on after it has passed once, with the reason, and before twice: then connections are cut.
  const stalledAfterSeconds = Math.ceil(stalledSeconds / 2)
  const server = await stand.startAnother(0, { STREAMS_STALLED_SECONDS: String(stalledAfterSeconds) })
  const crowd = await stand.readers(program, readers, 1)
  await crowds.gather({ ports: [server.port], path, readers: crowd, atOnce: readers, resume: 'after' })
  await crowds.open()
  await pause(settleMs)
  await crowds.stall()
  const rssMb = [(await server.vitals()).rssMb]
  let isOver = false
  const watching = (async () => {
    while (!isOver) {
      await pause(1_000)
      rssMb.push((await server.vitals()).rssMb)
    }
  })()
  const count = rate * stalledSeconds
  const { first, done } = await stand.emit({ to: 'database', count, rate, accounts: 1, bytes })
  await crowds.unstall()
  await pause(drainMs)
  const { said } = await crowds.standing()
  await crowds.open()
  const missing = await crowds.settle(first + done.length - 1, waitMs)
  isOver = true
  await watching
  const { lost, repeated } = await crowds.standing()
  await crowds.close()
  await server.stop()
  const megabytes = (count * bytes) / 1e6
  print(
    [
      `${readers} readers that stop, ${megabytes.toFixed(0)} MB: ${missing} missing, ${lost} lost, ${repeated} repeated after they came back`,
      `  MiB of the program each second: ${rssMb.map((mb) => mb.toFixed(0)).join(' ')}`,
      `  said: ${JSON.stringify(said)}`,
    ].join('\n'),
  )
  return { readers, megabytes, rssMb, said, missing, lost, repeated }
}
