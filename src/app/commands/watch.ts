import { setTimeout as pause } from 'node:timers/promises'
import { hasEnded } from '../../domain/order/status.ts'
import { plain } from '../../domain/text/readable.ts'
import { streamResults } from '../../sse/client.ts'
import { explain, jsonLine, type Output } from './explain.ts'
import { dealOf, diagnosisLines, stepLine, stepOf } from './order-text.ts'
import {
  backOffMs,
  CommandFault,
  type DiagnosedOrder,
  diagnosisDocument,
  exitCodes,
  faultOf,
  queryService,
  type Service,
  shownUrl,
  type WatchEntry,
  watchDocument,
} from './service.ts'

interface WatchOptions {
  /** A UID of 56 bytes, or an account of 20. */
  subject: string
  service: Service
  output: Output
  /** Cursor to continue behind; without it only new entries are printed. */
  after?: string
  /** Prints lines that are no answer. */
  warn(line: string): void
  random(): number
}

/** Longest silence of the service, which sends a line every twelve seconds. */
const silenceMs = 45_000
/** Interval of diagnoses, which also change without an event. */
const diagnosisMs = 15_000

/**
 * Prints the events of an order, or of an account's orders; of an order also each change of its diagnosis,
 * until the order has ended. Reconnects without gaps.
 * @throws CommandFault
 */
export async function watch(options: WatchOptions): Promise<void> {
  const { subject, service, output, warn, random } = options
  const isOrder = subject.length > 42
  const done = new AbortController()
  let diagnoses: ReturnType<typeof followDiagnosis> | undefined
  let cursor = options.after
  let failures = 0
  try {
    while (!done.signal.aborted) {
      try {
        if (isOrder && !diagnoses) {
          if (!output.json) await explain(subject, service, output)
          diagnoses = followDiagnosis(options, done.signal)
          failures = 0
        }
        const question = {
          url: `${service.url.replace(/(?<!\/)\/+$/, '')}/graphql/stream`,
          query: watchDocument,
          silenceMs,
          variables: {
            ...(isOrder ? { uid: subject } : { owner: subject }),
            after: cursor,
            ofAccount: !isOrder,
          },
        }
        for await (const { data, errors } of streamResults<{ orderEvents: WatchEntry }>(
          question,
          done.signal,
        )) {
          const [error] = errors ?? []
          if (error) throw faultOf(error)
          if (!data) continue
          failures = 0
          const entry = data.orderEvents
          cursor = entry.cursor
          printEntry(entry, isOrder, output)
          if (!isOrder || !hasEnded(entry.order.status)) continue
          await diagnoses?.look()
          return
        }
      } catch (fault) {
        if (fault instanceof CommandFault && fault.exitCode !== exitCodes.away) {
          if (!fault.message.startsWith('FeedGap')) throw fault
          // The snapshot has the current state.
          cursor = undefined
        }
        warn(`${plain(messageOf(fault))}; asking ${shownUrl(service.url)} again`)
      }
      await pause(backOffMs(failures++, random()))
    }
  } finally {
    done.abort()
  }
}

function printEntry(
  { cursor, isRemoved, event, order }: WatchEntry,
  isOrder: boolean,
  { print, json }: Output,
) {
  const { uid, status, diagnosis } = order
  if (json) return print(jsonLine({ type: event ? 'event' : 'order', cursor, isRemoved, event, order }))
  // The events were printed before.
  if (!event && isOrder) return
  const words = [
    event ? stepLine(stepOf(event)) : `  ${status}`,
    ...(isOrder ? [] : [dealOf(order)]),
    ...(diagnosis ? [`${diagnosis.code}: ${diagnosis.summary}`, uid] : []),
  ]
  print(plain(`${isRemoved ? 'taken back by a reorg: ' : ''}${words.join('  ')}`))
}

/** Prints the diagnosis of an order when its reasons change, until the signal. */
function followDiagnosis({ subject: uid, service, output }: WatchOptions, signal: AbortSignal) {
  let last: string | undefined
  async function look(): Promise<void> {
    const { order } = await queryService<{ order: DiagnosedOrder | null }>(service, diagnosisDocument, {
      uid,
    })
    if (!order) return
    const { diagnosis, status } = order
    const codes = [status, diagnosis, ...diagnosis.further].map((each) =>
      typeof each === 'string' ? each : each.code,
    )
    const isFirst = last === undefined
    if (codes.join() === last) return
    last = codes.join()
    if (output.json) return output.print(jsonLine({ type: 'diagnosis', uid, status, diagnosis }))
    // `explain` printed it.
    if (!isFirst) for (const line of ['', ...diagnosisLines(diagnosis, order), '']) output.print(line)
  }
  const following = (async () => {
    while (!signal.aborted) {
      // The stream reports that the service is away.
      await look().catch(() => undefined)
      await pause(diagnosisMs, undefined, { signal, ref: false }).catch(() => undefined)
    }
  })()
  return { look: () => look().catch(() => undefined), following }
}

function messageOf(fault: unknown): string {
  return fault instanceof Error ? fault.message : String(fault)
}
