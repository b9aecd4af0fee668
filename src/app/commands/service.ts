import { errorCodes, explained } from '../../domain/errors/error-explanations.ts'
import type { SpelledStatus } from '../../domain/order/status.ts'
import { plain } from '../../domain/text/readable.ts'
import { OutsideFault, Throttled } from '../../outside/fault.ts'
import { exchangeJson, isObject } from '../../outside/http-json.ts'

/** Exit codes of the commands that ask a service. */
export const exitCodes = { done: 0, refused: 1, usage: 2, unknown: 3, away: 4, gap: 5 } as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** The reason why a command ends without an answer. */
export class CommandFault extends Error {
  readonly exitCode: ExitCode
  /** Code of the service's error. */
  readonly code: string | undefined
  /** Lines that say what to do. */
  readonly advice: readonly string[]

  constructor(
    exitCode: ExitCode,
    message: string,
    { code, advice = [] }: { code?: string; advice?: readonly string[] } = {},
  ) {
    super(message)
    this.exitCode = exitCode
    this.code = code
    this.advice = advice
  }
}

/** Runs a command, and reports why it ends without an answer. @returns its exit code */
export async function reported(
  command: string,
  warn: (line: string) => void,
  task: () => Promise<void>,
): Promise<ExitCode> {
  try {
    await task()
    return exitCodes.done
  } catch (fault) {
    if (!(fault instanceof CommandFault)) throw fault
    warn(`tradegraph: ${plain(fault.message)}`)
    for (const line of fault.advice) warn(`  ${plain(line)}`)
    if (fault.exitCode === exitCodes.usage) warn(`\`tradegraph help ${command}\` describes the command.`)
    return fault.exitCode
  }
}

export interface Service {
  /** Base URL. */
  url: string
  timeoutMs: number
}

/** The service of flags. @throws CommandFault */
export function serviceOf({ url, timeout }: { url: string; timeout: string }): Service {
  const seconds = Number(timeout)
  if (!(seconds >= 1 && seconds <= 600))
    throw new CommandFault(exitCodes.usage, '--timeout must be a number of seconds from 1 to 600')
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:')
    throw new CommandFault(exitCodes.usage, '--url must be an http or https URL')
  return { url, timeoutMs: seconds * 1_000 }
}

const pauseMs = { min: 1_000, max: 30_000 }

/**
 * The pause before a service is asked again. It doubles with each failure.
 * @param random from 0 to 1
 */
export function backOffMs(failures: number, random: number): number {
  return Math.min(pauseMs.max, pauseMs.min * 2 ** failures) * (0.5 + random / 2)
}

const maxAnswerBytes = 16 * 2 ** 20

/** The data of a document. Never waits for longer than the service's time limit. @throws CommandFault */
export async function queryService<Data>(
  service: Service,
  query: string,
  variables: Record<string, unknown>,
): Promise<Data> {
  const { data, errors } = await askService(service, query, variables)
  const [error] = errors
  if (error) throw faultOf(error)
  return data as Data
}

/** The answer to a document as it came: its data, and its errors. @throws CommandFault without either */
export async function askService(
  { url, timeoutMs }: Service,
  query: string,
  variables: Record<string, unknown>,
): Promise<{ data: unknown; errors: readonly object[] }> {
  const peer = { name: 'the service', url, now: Date.now, timeoutMs, maxBytes: maxAnswerBytes }
  try {
    const question = { path: '/graphql', body: { query, variables } }
    const { status, body } = await exchangeJson(peer, question, AbortSignal.timeout(timeoutMs))
    const { data, errors } = isObject(body) ? body : {}
    const faults = Array.isArray(errors) ? errors.filter(isObject) : []
    if (faults.length === 0 && !isObject(data))
      throw new CommandFault(exitCodes.away, `no GraphQL at ${shownUrl(url)} (status ${status})`)
    return { data, errors: faults }
  } catch (fault) {
    if (fault instanceof OutsideFault)
      throw new CommandFault(exitCodes.away, `the service at ${shownUrl(url)} ${errorText(fault.reason)}`, {
        ...(fault instanceof Throttled && { code: 'RateLimited' }),
      })
    throw fault
  }
}

/** Maps an error of GraphQL to a fault of the command. */
export function faultOf(error: object): CommandFault {
  const { message, extensions } = error as { message?: unknown; extensions?: unknown }
  const { code, retryable, field } = isObject(extensions) ? extensions : {}
  const place = typeof field === 'string' ? ` (${field})` : ''
  const text = `${String(code ?? 'error')}: ${String(message)}${place}`
  const known = errorCodes.find((each) => each === code)
  const more = { code: String(code), advice: known ? [`What to do: ${explained(known).advice}`] : [] }
  if (code === 'OrderNotFound') return new CommandFault(exitCodes.unknown, text, more)
  return new CommandFault(retryable === true ? exitCodes.away : exitCodes.refused, text, more)
}

/** A URL may hold a password. */
export function shownUrl(url: string): string {
  const { origin, pathname } = new URL(url)
  return origin + pathname.replace(/\/$/, '')
}

const errorText = (reason: string) => (reason.startsWith('status') ? `answers with ${reason}` : reason)

/** Requests of the commands to a service, and the form of its responses. */

const token = '{ address symbol decimals }'
const evidence = `{ __typename
  ... on AmountsEvidence { needed available missing token ${token} }
  ... on TokenEvidence { token ${token} }
  ... on PoolEvidence { pool }
  ... on PriceEvidence { limit { sellAmount buyAmount } best { sellAmount buyAmount } foundAt foundAtBlock foundBy gapPercent gapSeenAt dayMovementPercent secondsNeeded }
  ... on FeeEvidence { fee left leastAmount token ${token} }
  ... on CompetitionEvidence { auctionId solver score winningScore scoreGap refusal }
  ... on BlocksEvidence { number at head }
  ... on TransactionEvidence { txHash block }
  ... on OrderEvidence { uid }
  ... on ProgrammaticOrderEvidence { owner hash status removedBlock }
  ... on RevertEvidence { reason }
  ... on HookEvidence { phase index target outcome gasLimit gasUsed }
  ... on ValidityEvidence { from until offeredUntil }
  ... on CancellationEvidence { by detail }
}`
const reason = `code summary since retryable advice evidence ${evidence}`
const event = 'label reason detail source txHash timestamp'
const order = `uid status kind owner sellAmount buyAmount executedSellAmount executedBuyAmount validTo partiallyFillable
  sellToken ${token} buyToken ${token} network { name }`

export const explainDocument = `query Explain($uid: OrderUid!) {
  order(uid: $uid) {
    ${order}
    diagnosis { ${reason} further { ${reason} } }
    events(last: 100) { isComplete nodes { ${event} } pageInfo { hasPreviousPage } }
    debugReport { auctions(last: 20) { isComplete nodes { auctionId hasAllSettlementAttempts proposedSolutions { solutionUid } settlementAttempts { solutionUid solver outcome detail txHash startTimestamp endTimestamp } } } }
    trades(first: 100) { nodes { blockNumber txHash sellAmount buyAmount } }
  }
}`

export const diagnosisDocument = `query Diagnosis($uid: OrderUid!) {
  order(uid: $uid) { uid status sellToken ${token} buyToken ${token} diagnosis { ${reason} further { ${reason} } } }
}`

export const watchDocument = `subscription Watch($uid: OrderUid, $owner: Address, $after: String, $ofAccount: Boolean!) {
  orderEvents(uid: $uid, owner: $owner, after: $after, snapshot: true) {
    cursor isRemoved event { ${event} } order { ${order} diagnosis @include(if: $ofAccount) { code summary } }
  }
}`

export interface TokenAnswer {
  address: `0x${string}`
  symbol: string | null
  decimals: number | null
}

export interface ReasonAnswer {
  code: string
  summary: string
  since: string | null
  retryable: boolean
  advice: string
  evidence: readonly ({ __typename: string } & Record<string, unknown>)[]
}

export interface DiagnosisAnswer extends ReasonAnswer {
  further: readonly ReasonAnswer[]
}

export interface EventAnswer {
  label: string
  reason: string | null
  detail: string | null
  source: string | null
  txHash: string | null
  timestamp: string
}

export interface OrderAnswer {
  uid: string
  status: SpelledStatus
  kind: string
  owner: string
  sellAmount: string
  buyAmount: string
  executedSellAmount: string
  executedBuyAmount: string
  validTo: number
  partiallyFillable: boolean
  sellToken: TokenAnswer
  buyToken: TokenAnswer
  network: { name: string }
}

interface AttemptAnswer {
  solutionUid: number
  solver: string
  outcome: string | null
  detail: string | null
  txHash: string | null
  startTimestamp: string
  endTimestamp: string | null
}

export interface ExplainedOrder extends OrderAnswer {
  diagnosis: DiagnosisAnswer
  events: { isComplete: boolean; nodes: readonly EventAnswer[]; pageInfo: { hasPreviousPage: boolean } }
  debugReport: {
    auctions: {
      isComplete: boolean
      nodes: readonly {
        auctionId: number
        hasAllSettlementAttempts: boolean
        proposedSolutions: readonly { solutionUid: number }[]
        settlementAttempts: readonly AttemptAnswer[]
      }[]
    }
  }
  trades: { nodes: readonly { blockNumber: number; txHash: string; sellAmount: string; buyAmount: string }[] }
}

export interface DiagnosedOrder extends Pick<OrderAnswer, 'uid' | 'status' | 'sellToken' | 'buyToken'> {
  diagnosis: DiagnosisAnswer
}

export interface WatchEntry {
  cursor: string
  isRemoved: boolean
  event: EventAnswer | null
  /** The diagnosis only where an account is watched: that of one order is followed apart. */
  order: OrderAnswer & { diagnosis?: Pick<DiagnosisAnswer, 'code' | 'summary'> }
}
