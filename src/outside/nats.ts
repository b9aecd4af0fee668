import { readFile } from 'node:fs/promises'
import {
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
} from '@nats-io/jetstream'
import {
  AuthorizationError,
  connect,
  credsAuthenticator,
  type NatsConnection,
  nanos,
  UserAuthenticationExpiredError,
} from '@nats-io/transport-node'
import type { Clock, Log } from '../domain/log.ts'
import { OutsideFault } from './fault.ts'
import { createHealth } from './health.ts'

interface StreamMessage {
  subject: string
  /** Stored once for each id, in the header Nats-Msg-Id. */
  id: string
  data: string
}

/** A stream of NATS JetStream. */
export interface NatsStream {
  /**
   * Publishes messages in their order, after all that were published before. Resolves when the server has
   * stored all.
   * @throws OutsideFault, and then some may be stored: publish the same messages again
   */
  publish(messages: readonly StreamMessage[]): Promise<void>
  /** Reports whether the server has the stream. @throws OutsideFault */
  isCreated(): Promise<boolean>
  close(): Promise<void>
}

interface NatsOptions {
  /** Servers, separated by commas: nats:// or tls://, with user and password, or a token, if needed. */
  url: string
  /** File of credentials, as `nsc` writes it. */
  credentialsFile?: string | undefined
  stream: string
  /** The stream stores the subjects below it. */
  prefix: string
  now: Clock
  log: Log
}

const name = 'NATS'
const limits = {
  failures: 5,
  pauseMs: { min: 1_000, max: 30_000 },
  backOffMs: { min: 1_000, max: 30_000 },
  atOnce: 1,
}
const timeoutMs = 5_000
const managing = { timeout: timeoutMs, checkAPI: false }
const pingMs = 10_000
/** A stream that this creates remembers ids, and keeps messages, for these times. */
const duplicateMs = 120_000
const maxAgeMs = 7 * 86_400_000

/** Codes of the server: a message does not follow the expected one; another stream stores the subjects. */
const wrongLastId = 10_070
const subjectsOverlap = 10_065

/** A connection, and the end of the stream. */
interface Session {
  connection: NatsConnection
  js: JetStreamClient
  /** Id of the last message, until something was published. */
  lastId: string | undefined
}

/** Creates a stream's publisher, which connects when it is first used. */
export function openEventStream({ stream, prefix, now, log, ...access }: NatsOptions): NatsStream {
  const health = createHealth({ name, limits, now, log })
  let session: Session | undefined
  let isClosed = false
  /** True after a message that did not follow the expected one: another published between them. */
  let isShared = false

  async function openSession(): Promise<Session> {
    const connection = await connect(await connectionOptions(access))
    try {
      const manager = await jetstreamManager(connection, managing)
      const { state } = await ensureStream(manager)
      const last =
        state.messages === 0
          ? null
          : await manager.streams.getMessage(stream, { seq: state.last_seq }).catch((fault: unknown) => {
              if (fault instanceof JetStreamApiError) return null
              throw fault
            })
      const lastId = last?.header.get('Nats-Msg-Id')
      return { connection, js: jetstream(connection), lastId }
    } catch (fault) {
      await connection.close()
      throw fault
    }
  }

  async function findStream(manager: JetStreamManager) {
    return await manager.streams.info(stream).catch((fault: unknown) => {
      if (fault instanceof JetStreamApiError && fault.code === JetStreamApiCodes.StreamNotFound) return
      throw fault
    })
  }

  async function ensureStream(manager: JetStreamManager) {
    const found = await findStream(manager)
    if (found) return found
    log.info('a stream is created', { stream })
    return await manager.streams.add({
      name: stream,
      subjects: [`${prefix}.>`],
      duplicate_window: nanos(duplicateMs),
      max_age: nanos(maxAgeMs),
    })
  }

  async function store(messages: readonly StreamMessage[]): Promise<void> {
    if (session?.connection.isClosed()) session = undefined
    session ??= await openSession()
    if (isClosed) throw new OutsideFault(name, 'was left')
    const { js, lastId } = session
    // A publisher that ended before its acknowledgement has stored only the first of these messages.
    const rest = messages.slice(storedOf(messages, lastId))
    session.lastId = undefined
    const publish = ({ subject, id, data }: StreamMessage, after?: StreamMessage) =>
      js.publish(subject, data, {
        msgID: id,
        timeout: timeoutMs,
        expect: { streamName: stream, ...(after && { lastMsgID: after.id }) },
      })
    if (isShared) {
      for (const message of rest) await publish(message)
      isShared = false
      return
    }
    // Each message expects the one before: what is stored of them has no gap.
    const acks = await Promise.allSettled(rest.map((message, index) => publish(message, rest[index - 1])))
    const failed = acks.find((ack) => ack.status === 'rejected')
    if (failed) throw failed.reason
  }

  async function close(): Promise<void> {
    const { connection } = session ?? {}
    session = undefined
    await connection?.close()
  }

  return {
    publish: (messages) =>
      health.ask(async () => {
        try {
          await store(messages)
        } catch (fault) {
          isShared = fault instanceof JetStreamApiError && fault.code === wrongLastId
          // The next session reads how far the stream came.
          await close().catch(() => undefined)
          throw new OutsideFault(name, reasonOf(fault))
        }
      }),
    async isCreated() {
      let connection: NatsConnection | undefined
      try {
        connection = await connect(await connectionOptions(access))
        return (await findStream(await jetstreamManager(connection, managing))) !== undefined
      } catch (fault) {
        throw new OutsideFault(name, reasonOf(fault))
      } finally {
        await connection?.close()
      }
    },
    async close() {
      isClosed = true
      await close()
    },
  }
}

/** The number of messages that a stream has which ends with an id. Ids are places, which ascend. */
function storedOf(messages: readonly StreamMessage[], lastId: string | undefined): number {
  const [first] = messages
  if (lastId === undefined || !/^[0-9]{1,19}$/.test(lastId)) return 0
  const last = BigInt(lastId)
  if (!first || last < BigInt(first.id) || last > BigInt(messages.at(-1)?.id ?? 0)) return 0
  return messages.filter(({ id }) => BigInt(id) <= last).length
}

function reasonOf(fault: unknown): string {
  if (fault instanceof JetStreamApiError && fault.code === subjectsOverlap)
    return 'has another stream with these subjects'
  if (fault instanceof JetStreamApiError) return `refuses with the code ${fault.code}`
  if (fault instanceof AuthorizationError || fault instanceof UserAuthenticationExpiredError)
    return 'refuses the credentials'
  return 'does not answer, or has no such stream'
}

async function connectionOptions({ url, credentialsFile }: Pick<NatsOptions, 'url' | 'credentialsFile'>) {
  const urls = url.split(',').map((each) => new URL(each))
  const [{ username = '', password = '' } = {}] = urls
  const [user, pass] = [decodeURIComponent(username), decodeURIComponent(password)]
  return {
    servers: urls.map(({ host }) => host),
    name: 'tradegraph',
    reconnect: false,
    timeout: timeoutMs,
    pingInterval: pingMs,
    maxPingOut: 2,
    ...(urls.some(({ protocol }) => protocol === 'tls:') && { tls: {} }),
    ...(pass !== '' ? { user, pass } : user !== '' && { token: user }),
    ...(credentialsFile !== undefined && {
      authenticator: credsAuthenticator(await readFile(credentialsFile)),
    }),
  }
}
