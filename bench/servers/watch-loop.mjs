// Loaded in front of a server under test. On SIGUSR2 it tells its parent what happened since the last time, and on a
// message what memory is left after a collection.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

const resolution = Number(process.env.WATCH_RESOLUTION_MS ?? 1)
const delay = monitorEventLoopDelay({ resolution })
delay.enable()
let usage = process.cpuUsage()

/** The timer's own interval is part of what is measured. */
const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - resolution)

process.on('SIGUSR2', () => {
  const { user, system } = process.cpuUsage(usage)
  process.send?.({
    longestBlockMs: milliseconds(delay.max),
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
  // What the first one finalizes, the second one frees.
  collect()
  collect()
  const { heapUsed, external } = process.memoryUsage()
  process.send?.({ heapMb: heapUsed / 2 ** 20, externalMb: external / 2 ** 20 })
})

// No server outlives the bench, however that ends.
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
