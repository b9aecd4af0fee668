import { hash } from 'node:crypto'
import { createLruCache, derivedOnce } from '../../domain/derived.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Token } from '../../domain/token/token.ts'
import type { Context } from '../../graphql/context/context.ts'
import { type TradingServices, tradingOn } from '../../graphql/context/networks.ts'
import { watchedPerRead } from '../../graphql/token/watched.ts'
import type { SessionKey } from '../../storage/token/balance-sessions.ts'
import type { BalancesUpdate, KnownBalance } from '../../tokens/balances.ts'
import type { TokenRoom } from '../../tokens/metadata.ts'
import { type EventForm, eventOf } from '../stream.ts'
import { writeToken } from '../token/tokens.ts'

type Change = BalancesUpdate['changes'][number]

const errorEvent = (message: string, tokenAddress?: Address) =>
  eventOf({ code: 'Unavailable', message, ...(tokenAddress && { tokenAddress }) }, 'error')

export const streamForm: EventForm = {
  // Clients that lose their connection at the same time reconnect at different times.
  opening: () => `retry: ${1_000 + Math.floor(Math.random() * 2_000)}\n\n`,
  beat: eventOf({}, 'ping'),
  closing: ({ message }) => errorEvent(message),
}

const { beat: _ping, ...sessionForm } = streamForm

/** Sends comments to keep connections alive: clients of sessions do not support `ping`. */
export { sessionForm }

interface Watched {
  network: string
  account: Address
  /** The account in the client's spelling. */
  typed: string
  tokens: readonly Address[]
}

/**
 * Returns an account's balances as events: all of them, then changes. An event's id encodes the client's
 * state after it: a client that resumes with it, and has missed nothing, gets only later changes.
 * @throws Refusal
 */
export async function balanceStream(
  { network, account, typed, tokens }: Watched,
  context: Context,
): Promise<AsyncGenerator<string, void>> {
  const trading = tradingOn(context, network)
  const { client, clientSignal: signal, lastEventId: known, now, stored } = context
  const room = stored?.tokenRoom(client)
  takeSlot(trading, `${client} ${account}`, signal)
  const updates = trading.watchBalances(account, tokens, { client, signal })
  const about = { chainId: trading.network.chainId, userAddress: typed }
  return eventsOf(updates, {
    known,
    textOf: textOfBalance,
    initial: async (changes) => [
      eventOf(initialOf(changes, await tokensOf(changes, trading, room)), 'initial_balances'),
    ],
    changed: (changes) => changes.flatMap((change) => changeEvents(change, { ...about, timestamp: now() })),
  })
}

/**
 * Returns a session's balances as events, `balance_update` with atoms by token: all of them, then changes,
 * and all of them again when the session's tokens change.
 * @throws Refusal
 */
export async function sessionStream(
  trading: TradingServices,
  key: SessionKey,
  context: Context,
): Promise<AsyncGenerator<string, void>> {
  const { client, clientSignal: signal, lastEventId } = context
  takeSlot(trading, `${client} ${key.owner}`, signal)
  const session = await context.balanceSessions.follow(key, signal)
  const watch = () => {
    const { tokens, replaced } = session.current()
    context.addUnits?.(Math.ceil(tokens.length / watchedPerRead))
    const until = AbortSignal.any([signal, replaced])
    return { updates: trading.watchBalances(key.owner, tokens, { client, signal: until }), replaced }
  }
  const first = watch()
  const writing = { textOf: textOfAmount, initial: sessionEvents, changed: sessionEvents }
  return (async function* () {
    yield* eventsOf(first.updates, { ...writing, known: lastEventId })
    try {
      for (let { replaced } = first; replaced.aborted && !signal.aborted; ) {
        const next = watch()
        replaced = next.replaced
        yield* eventsOf(next.updates, { ...writing, known: undefined })
      }
    } catch (fault) {
      // The limits leave no space for the new tokens.
      if (!(fault instanceof Refusal)) throw fault
      yield eventOf({ code: fault.code, message: fault.message }, 'error')
    }
  })()
}

/** Writes one event, which omits addresses that are not tokens and names tokens that cannot be read. */
function sessionEvents(changes: readonly Change[]): string[] {
  const balances: Record<string, string> = {}
  const unavailable: Address[] = []
  for (const { subject, value, before } of changes) {
    if (value === 'unavailable') unavailable.push(subject.token)
    else if (value !== 'absent') balances[subject.token] = String(value.balance)
    else if (before !== undefined && before !== 'absent') balances[subject.token] = '0'
  }
  return [eventOf({ balances, ...(unavailable.length > 0 && { unavailable }) }, 'balance_update')]
}

/** The maximum of streams that one client address has for one account in this process. */
const streamsOfAccount = 5
const openStreams = derivedOnce((_trading: TradingServices) => new Map<string, number>())

/** Takes a slot until the signal aborts. @throws Refusal RateLimited */
function takeSlot(trading: TradingServices, key: string, signal: AbortSignal): void {
  const open = openStreams(trading)
  const count = open.get(key) ?? 0
  if (count >= streamsOfAccount)
    throw new Refusal('RateLimited', 'too many streams of this client follow the balances of this account')
  open.set(key, count + 1)
  signal.addEventListener(
    'abort',
    () => {
      const left = (open.get(key) ?? 1) - 1
      if (left > 0) open.set(key, left)
      else open.delete(key)
    },
    { once: true },
  )
}

interface Writing {
  /** The id of the client's last event. */
  known: string | undefined
  /** Returns the part of a value that is sent to the client. */
  textOf(value: KnownBalance): string
  initial(changes: readonly Change[]): string[] | Promise<string[]>
  changed(changes: readonly Change[]): string[]
}

async function* eventsOf(
  updates: AsyncGenerator<BalancesUpdate, void>,
  { known, textOf, initial, changed }: Writing,
): AsyncGenerator<string, void> {
  let digest = 0n
  const digestOf = ({ owner, token }: Change['subject'], value: KnownBalance) =>
    BigInt(`0x${hash('sha1', `${owner} ${token} ${textOf(value)}`).slice(0, 16)}`)
  for await (const { isAvailable, isComplete, changes, block } of updates) {
    if (!isAvailable) {
      yield errorEvent('the node of this network does not answer: balances may be out of date')
      continue
    }
    if (isComplete) digest = 0n
    // A balance whose sent part is unchanged is skipped.
    const sent = changes.filter(
      ({ value, before }) => isComplete || before === undefined || textOf(value) !== textOf(before),
    )
    for (const { subject, value, before } of sent) {
      if (!isComplete && before !== undefined) digest -= digestOf(subject, before)
      // The sum over all balances identifies the client's state.
      digest += digestOf(subject, value)
    }
    const state = BigInt.asUintN(64, digest).toString(36)
    const isKnown = isComplete && known?.endsWith(`-${state}`)
    known = undefined
    if (isKnown || (!isComplete && sent.length === 0)) continue
    const events = isComplete ? await initial(sent) : changed(sent)
    const last = events.pop()
    // Only the last event of a block has the id: a client that lost some of them gets them again.
    if (last !== undefined) yield `${events.join('')}id: ${block}-${state}\n${last}`
  }
}

function textOfBalance(value: KnownBalance): string {
  return typeof value === 'string' ? value : `${value.balance} ${value.allowance ?? 0n}`
}

function textOfAmount(value: KnownBalance): string {
  return typeof value === 'string' ? value : String(value.balance)
}

function initialOf(changes: readonly Change[], tokens: ReadonlyMap<Address, Token>) {
  const unavailable = changes.flatMap(({ subject, value }) => (value === 'unavailable' ? subject.token : []))
  return {
    balances: changes.flatMap(({ subject: { token: address }, value }) => {
      if (typeof value === 'string') return []
      const { symbol, name, decimals } = tokens.get(address) ?? { symbol: null, name: null, decimals: null }
      return { ...amountsOf(value), token: writeToken({ address, symbol, name, decimals }) }
    }),
    ...(unavailable.length > 0 && { unavailable }),
  }
}

/** Returns zeros for an address that is not a token; null for an unknown balance. */
function amountsOf(value: KnownBalance | undefined) {
  if (value === undefined || value === 'unavailable') return { balance: null, allowance: null }
  if (value === 'absent') return { balance: '0', allowance: '0' }
  return { balance: String(value.balance), allowance: String(value.allowance ?? 0n) }
}

function changeEvents({ subject: { token: tokenAddress }, value, before }: Change, about: object): string[] {
  if (value === 'unavailable') return [errorEvent('this balance cannot be read at the moment', tokenAddress)]
  const [old, fresh] = [amountsOf(before), amountsOf(value)]
  const write = (type: string, amounts: object) =>
    eventOf({ type, ...about, tokenAddress, ...amounts }, 'balance_update')
  return [
    ...(old.balance === fresh.balance
      ? []
      : [write('balance_change', { oldBalance: old.balance, newBalance: fresh.balance })]),
    ...(old.allowance === fresh.allowance || tokenAddress === nativeMarker
      ? []
      : [write('allowance_change', { oldAllowance: old.allowance, newAllowance: fresh.allowance })]),
  ]
}

/** Metadata by token: ten thousand streams that start at once are about few tokens. */
const metadata = derivedOnce((_trading: TradingServices) =>
  createLruCache<Address, Token>({ max: 20_000, ttl: 600_000 }),
)

/** Reads metadata of tokens; omits other addresses and unreadable tokens. */
async function tokensOf(
  changes: readonly Change[],
  trading: TradingServices,
  room: TokenRoom | undefined,
): Promise<ReadonlyMap<Address, Token>> {
  const cache = metadata(trading)
  const addresses = changes.flatMap(({ subject, value }) => (typeof value === 'string' ? [] : subject.token))
  const missing = addresses.filter((address) => !cache.has(address))
  const read = missing.length > 0 ? await trading.tokens(missing, room) : []
  for (const [address, token] of read) if (!(token instanceof Outage)) cache.set(address, token)
  return new Map(
    addresses.flatMap((address) => {
      const token = cache.get(address)
      return token ? [[address, token] as const] : []
    }),
  )
}
