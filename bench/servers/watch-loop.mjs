// Loaded in front of a server under test. On SIGUSR2 it tells its parent what happened since the last time.
import { monitorEventLoopDelay } from 'node:perf_hooks'

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

// No server outlives the bench, however that ends.
process.once('disconnect', () => process.exit(0))
process.channel?.unref()
