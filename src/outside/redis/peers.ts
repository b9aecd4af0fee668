import { randomUUID } from 'node:crypto'
import { Refusal } from '../../domain/errors/error.ts'
import { OutsideFault } from '../fault.ts'
import type { RedisConnection } from './redis.ts'

/**
 * Questions from one process of a service to another, about a key that lives there. Every call
 * @throws OutsideFault.
 */
export interface Peers {
  /**
   * Notes that these keys live at this process. To be repeated: one that is not is forgotten after `heldMs`.
   */
  hold(keys: readonly string[]): Promise<void>
  drop(key: string): Promise<void>
  /**
   * Asks another process. @returns the answer of the process at which the key lives; undefined where there is
   * none, or it has ended
   * @throws Refusal Unavailable while too much waits for answers
   */
  ask(key: string, question: unknown): Promise<unknown>
  /** Sets how this process answers. @param answer never rejects */
  onQuestion(answer: (key: string, question: unknown) => Promise<unknown>): void
}

type Message = { id: string } & (
  | { from: string; key: string; question: unknown }
  | { answer: unknown }
  | { isBusy: true }
)

const prefix = 'tradegraph:'
/** Timeout of an answer, longer than an operation takes. */
const answerMs = 15_000
/**
 * Limit, in characters, of the questions of this process that wait for answers, and of those of others under
 * way here.
 */
const maxUnderWay = 8 * 1024 * 1024

export function createPeers(redis: RedisConnection, process: string, heldMs: number): Peers {
  const keyOf = (key: string) => `${prefix}stream:${key}`
  const channelOf = (of: string) => `${prefix}process:${of}`
  const waiting = new Map<string, (message: Message) => void>()
  let asked = 0
  let answering = 0
  let answerTo: Parameters<Peers['onQuestion']>[0] = async () => undefined

  /** @returns whether a process hears it */
  const send = async (to: string, message: Message | string) => {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    return (await redis.ask((server) => server.publish(channelOf(to), text))) > 0
  }

  async function receive(text: string): Promise<void> {
    const message = JSON.parse(text) as Message
    if (!('question' in message)) return waiting.get(message.id)?.(message)
    const { id, from, key, question } = message
    if (answering + text.length > maxUnderWay) return void (await send(from, { id, isBusy: true }))
    answering += text.length
    try {
      await send(from, { id, answer: (await answerTo(key, question)) ?? null })
    } finally {
      answering -= text.length
    }
  }

  redis.listen(channelOf(process), (text) => void receive(text).catch(() => {}))

  return {
    async hold(keys) {
      await redis.ask((server) => {
        const batch = server.pipeline()
        for (const key of keys) batch.set(keyOf(key), process, 'PX', heldMs)
        return batch.exec()
      })
    },
    async drop(key) {
      await redis.ask((server) => server.del(keyOf(key)))
    },
    async ask(key, question) {
      const home = await redis.ask((server) => server.get(keyOf(key)))
      if (home === null || home === process) return undefined
      const id = randomUUID()
      const text = JSON.stringify({ id, from: process, key, question })
      if (asked + text.length > maxUnderWay) throw tooMany()
      asked += text.length
      let timer: NodeJS.Timeout | undefined
      try {
        const answered = new Promise<Message>((resolve, reject) => {
          waiting.set(id, resolve)
          const late = () => reject(new OutsideFault('the process of this stream', 'did not answer in time'))
          timer = setTimeout(late, answerMs)
        })
        answered.catch(() => {})
        if (!(await send(home, text))) return undefined
        const message = await answered
        if (!('answer' in message)) throw tooMany()
        return message.answer ?? undefined
      } finally {
        clearTimeout(timer)
        waiting.delete(id)
        asked -= text.length
      }
    },
    onQuestion(answer) {
      answerTo = answer
    },
  }
}

const tooMany = () =>
  new Refusal('Unavailable', 'too many requests wait for other processes: try again later')
