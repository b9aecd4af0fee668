// Loaded before a server under test. On SIGUSR2 it reports events since the last time to its parent; on a
// message it reports the memory left after a collection.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const resolution = Number(process.env.WATCH_RESOLUTION_MS ?? 1)
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
let usage = process.cpuUsage()

/** The timer's own interval is part of the measurement. */
const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution)

process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage(usage)
  process.send?.({
    maxBlockMs: milliseconds(delay.max),
    p99BlockMs: milliseconds(delay.percentile(99)),
    cpuMs: (user + system) / 1000,
    rssMb: process.memoryUsage.rss() / 2 ** 20,
  })
  delay.reset()
  usage = process.cpuUsage()
})

process.on('message', () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  // The second collection frees objects that the first one finalizes.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ heapMb: heapUsed / 2 ** 20, externalMb: external / 2 ** 20 })
})

// No server outlives the bench, however it ends.
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
