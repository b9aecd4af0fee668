import { createNatsSender } from '../../src/notifications/sinks/nats.ts'
import { runSinks } from '../../src/notifications/sinks/run.ts'
import { openEventStream } from '../../src/outside/nats.ts'
import { openDatabase } from '../../src/storage/database/database.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { pagesOf, sinkEvents } from '../fakes/sink-source.ts'

// A process that publishes the feed of `sink-source.ts` to NATS, until it is killed.
const [databaseUrl = '', url = '', count = '0', max = '0'] = process.argv.slice(2)
const db = openDatabase({ url: databaseUrl, maxConnections: 3 })
const [now, log] = [Date.now, silentLog]
const read = pagesOf(sinkEvents(Number(count)), Number(max))
process.on('disconnect', () => process.exit())
void runSinks(
  {
    db,
    now,
    log,
    random: Math.random,
    leaseMs: 200,
    kinds: ['nats'],
    ofPartners: false,
    signals: { on: () => () => {} },
    meter: { count() {}, countGap() {} },
    readPage(page) {
      process.send?.(page.after)
      return read(page)
    },
    open: () =>
      createNatsSender(openEventStream({ url, stream: 'BOOK', prefix: 'event', now, log }), 'event'),
  },
  new AbortController().signal,
)
