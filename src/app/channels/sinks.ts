import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import { Outage } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { sinkKinds } from '../../domain/notification/feed-sink.ts'
import { createExecutor } from '../../execution/execute.ts'
import { Operation } from '../../execution/operation.ts'
import { readsAsPartner } from '../../graphql/context/access.ts'
import type { Services } from '../../graphql/context/context.ts'
import { createNatsSender } from '../../notifications/sinks/nats.ts'
import { runSinks } from '../../notifications/sinks/run.ts'
import type { ReadSinkPage, SinkOptions } from '../../notifications/sinks/sink.ts'
import { createBookWebhookSender } from '../../notifications/sinks/webhook.ts'
import { createReceivers } from '../../outside/receiver.ts'
import type { SinkMetrics } from '../../server/measures/sink-metrics.ts'
import type { Signals } from '../../storage/database/signals.ts'
import { ensureSink, readSinkLags } from '../../storage/feeds/sinks.ts'
import { gapRefusal } from '../../storage/query/stored-refusals.ts'
import { accessOf } from '../config.ts'
import type { Settings } from '../settings.ts'

/** The entries of sinks, as docs/how-to/publish-to-nats.md shows them. */
const pageQuery = `query SinkPage($filter: BookFilter, $after: String, $first: Int!) {
  bookEvents(filter: $filter, after: $after, first: $first) {
    nodes {
      cursor
      eventId
      isRemoved
      chainId
      event { label reason detail timestamp txHash source replacedBy { uid } }
      order {
        uid owner receiver kind class status validTo creationDate appDataHash partiallyFillable
        sellToken { address symbol decimals }
        buyToken { address symbol decimals }
        sellAmount buyAmount executedSellAmount executedBuyAmount
      }
      trade {
        blockNumber logIndex txHash sellAmount buyAmount sellAmountBeforeFees auctionId isReverted
        executedProtocolFees { amount token { address } }
      }
    }
    cursor
    pageInfo { hasNextPage }
  }
}`

const pageShape = z.object({
  bookEvents: z.object({
    nodes: z.array(
      z.looseObject({
        cursor: z.string(),
        event: z.looseObject({ label: z.string() }).nullable(),
        chainId: z.number().nullable(),
      }),
    ),
    cursor: z.string(),
    pageInfo: z.object({ hasNextPage: z.boolean() }),
  }),
})

/** Reads pages of the feed by GraphQL in this process, whatever clients may read. */
export function createSinkReader(services: Services): ReadSinkPage {
  const executor = createExecutor({ ...services, access: { ...all, ...services.access, bookFeed: 'public' } })
  const document = executor.trust(pageQuery)
  return async ({ after, filter, first, signal }) => {
    const variables = { filter, first, ...(after !== 'earliest' && { after }) }
    const caller = { requestId: randomUUID(), client: 'sinks', apiKey: undefined, setHeader: () => {} }
    const { data, errors } = await executor.run(
      new Operation({ variables }, document),
      executor.context(caller, signal),
    )
    const extensions = errors?.[0]?.extensions
    if (extensions?.code === 'FeedGap') throw gapRefusal(String(extensions.cursor))
    if (errors?.[0]) throw new Outage('the feed of the book', errors[0])
    const { nodes, cursor, pageInfo } = pageShape.parse(JSON.parse(JSON.stringify(data))).bookEvents
    const events = nodes.map((node) => ({
      cursor: node.cursor,
      json: JSON.stringify(node),
      name: node.event?.label.toLowerCase() ?? 'removed',
      chainId: node.chainId ?? 0,
    }))
    // The cursor moves on also where no entry meets the filter: it must not fall behind those that are kept.
    return { events, endCursor: cursor, hasNextPage: pageInfo.hasNextPage }
  }
}

const all = { currentAuction: 'public', simulation: 'public' } as const

export interface SinkParts extends Pick<SinkOptions, 'db' | 'random'> {
  settings: Settings
  now: Clock
  log: Log
  signals: Signals
  meter: SinkMetrics
  readPage: ReadSinkPage
}

const natsName = 'nats'

/** Sends the feed of the book to NATS and to webhooks, in any number of processes. */
export async function startSinks(parts: SinkParts, signal: AbortSignal): Promise<void> {
  const { settings, db, now, log, meter } = parts
  const { NATS_URL: url, NATS_CREDENTIALS: credentialsFile, NATS_STREAM: stream } = settings
  const receivers = createReceivers(settings.CHANNEL_ALLOWED_HOSTS)
  // The library is loaded only where it is used.
  const nats = url === undefined ? undefined : await import('../../outside/nats.ts')
  meter.watch(() => readSinkLags(db))
  const options = { url: url ?? '', credentialsFile, stream, prefix: settings.NATS_SUBJECT, now, log }
  await runSinks(
    {
      ...parts,
      prepare: async () => {
        if (nats) await ensureSink(db, { id: randomUUID(), kind: 'nats', name: natsName })
      },
      kinds: sinkKinds.filter((kind) => kind !== 'nats' || nats),
      ofPartners: readsAsPartner(accessOf(settings).bookFeed),
      open: (sink) =>
        sink.kind === 'nats' && nats
          ? createNatsSender(nats.openEventStream(options), options.prefix)
          : createBookWebhookSender(sink, { receivers, now }),
    },
    signal,
  )
}
