import { createWebhookSender } from '../../../src/notifications/channels/webhook.ts'
import { runDelivery } from '../../../src/notifications/delivery/deliver.ts'
import { createReceivers } from '../../../src/outside/receiver.ts'
import { openDatabase } from '../../../src/storage/database/database.ts'
import { openSignals } from '../../../src/storage/database/signals.ts'

/**
 * A process that sends like the role `deliver`, with a clock that its parent moves: `offset` in a message is
 * milliseconds ahead. It answers with its cost so far.
 */
const [url = '', timeoutMs = '10000'] = process.argv.slice(2)
let offset = 0
let statements = 0
const now = () => Date.now() + offset
const print = (line: string, more?: object) => process.stderr.write(`${line} ${JSON.stringify(more)}\n`)
const log = { debug() {}, info() {}, warn: print, error: print }
const db = openDatabase({ url, maxConnections: 10, onStatement: () => statements++ })
const receivers = createReceivers(['127.0.0.1'], { timeoutMs: Number(timeoutMs) })
const senders = { webhook: createWebhookSender({ receivers, now }) }
const signals = await openSignals(url, log)

process.on('message', (message: { offset?: number }) => {
  offset = message.offset ?? offset
  const { user, system } = process.cpuUsage()
  process.send?.({ cpuMs: (user + system) / 1_000, statements })
})
process.on('disconnect', () => process.exit())
const options = { db, signals, senders, confirmations: {}, now, random: () => 0.5, log }
void runDelivery(options, new AbortController().signal)
process.send?.({ cpuMs: 0, statements: 0 })
