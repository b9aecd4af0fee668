import { OutsideFault } from '../../outside/fault.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'

/** Exit codes of the commands that ask a service. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unknown: 3, away: 4 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** Why a command ends without an answer. */
export class CommandFault extends Error {
  readonly exitCode: ExitCode

  constructor(exitCode: ExitCode, message: string) {
    super(message)
    this.exitCode = exitCode
  }
}

export interface Service {
  /** Base URL. */
  url: string
  timeoutMs: number
}

const maxAnswerBytes = 16 * 2 ** 20

/** The data of a document. Never waits for longer than the service's time limit. @throws CommandFault */
export async function ask<Data>(
  { url, timeoutMs }: Service,
  query: string,
  variables: Record<string, unknown>,
): Promise<Data> {
  const peer = { name: 'the service', url, now: Date.now, timeoutMs, maxBytes: maxAnswerBytes }
  try {
    const question = { path: '/graphql', body: { query, variables } }
    const { status, body } = await exchangeJson(peer, question, AbortSignal.timeout(timeoutMs))
    const { data, errors } = isObject(body) ? body : {}
    const [error] = Array.isArray(errors) ? errors : []
    if (isObject(error)) throw faultOf(error)
    if (!isObject(data))
      throw new CommandFault(exitCodes.away, `no GraphQL at ${shownUrl(url)} (status ${status})`)
    return data as Data
  } catch (fault) {
    if (fault instanceof OutsideFault)
      throw new CommandFault(exitCodes.away, `the service at ${shownUrl(url)} ${wordsOf(fault.reason)}`)
    throw fault
  }
}

/** What an error of GraphQL means for the command. */
export function faultOf(error: object): CommandFault {
  const { message, extensions } = error as { message?: unknown; extensions?: unknown }
  const { code, retryable } = isObject(extensions) ? extensions : {}
  const text = `${String(code ?? 'error')}: ${String(message)}`
  if (code === 'OrderNotFound') return new CommandFault(exitCodes.unknown, text)
  return new CommandFault(retryable === true ? exitCodes.away : exitCodes.refused, text)
}

/** A URL may hold a password. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/$/, '')
}

const wordsOf = (reason: string) => (reason.startsWith('status') ? `answers with ${reason}` : reason)
