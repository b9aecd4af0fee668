import { type Holding, holdingsPerRequest, type ReadBalance } from '../chain/balance-reader.ts'
import type { Block, Chain } from '../chain/chain.ts'
import type { Heads } from '../chain/heads.ts'
import { createHoldingChanges } from '../chain/logs/holding-changes.ts'
import { chunksOf } from '../chain/rpc/rpc.ts'
import { fairBatch } from '../concurrency/batch.ts'
import { derived, described, from, objectOf, uint256 } from '../domain/described.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, nativeMarker } from '../domain/evm/address.ts'
import type { Clock, Log } from '../domain/log.ts'
import {
  createWatch,
  type Entry,
  knownValue,
  namedToken,
  type Subscriber,
  stateField,
  stateOf,
  type Update,
  updateFields,
} from './watch.ts'

/** `unavailable`: the node cannot read this balance now. */
export type KnownBalance = ReadBalance | 'unavailable'

interface Balances {
  /** The block that all of them were read at. */
  block: number
  /** The balances in the order of the tokens. */
  balances: KnownBalance[]
}

/**
 * Balances of one account at the newest block, with allowances for the vault relayer. Clients are served in
 * rotation.
 * @throws Outage when none of them can be read
 */
export type ReadBalances = (owner: Address, tokens: readonly Address[], client: string) => Promise<Balances>

interface BalanceReadsOptions {
  chain: Pick<Chain, 'balances'>
  heads: Pick<Heads, 'newest'>
}

/** Balances that are kept of one block. */
const maxKept = 50_000
/** Allows two requests at a time; later questions wait for the next one. */
const batching = {
  maxBatch: holdingsPerRequest,
  concurrency: 2,
  maxWaiting: 20_000,
  refusal: () => new Outage('the network node', new Error('too many balances wait')),
}

/** The balances that were read at one block. */
interface Page {
  hash: Block['hash']
  /** Balances by account and token. A read that failed is not kept. */
  answers: Map<string, ReadBalance>
}

interface Question {
  page: Page
  key: string
  holding: Holding
}

/** Reads each balance once at a block, and balances that are requested at the same time in one request. */
export function createBalanceReads({ chain, heads }: BalanceReadsOptions): ReadBalances {
  const ask = fairBatch(answerAll, batching)
  let page: Page | undefined

  function pageOf({ hash }: Block): Page {
    if (page?.hash !== hash || page.answers.size >= maxKept) page = { hash, answers: new Map() }
    return page
  }

  /** Another client may have got some of the answers meanwhile, and two may have the same question. */
  async function answerAll(questions: readonly Question[]): Promise<(ReadBalance | Outage)[]> {
    const faults = new Map<Page, Outage>()
    const pages = new Set(questions.map((question) => question.page))
    await Promise.all(
      [...pages].map(async (of) => {
        const open = new Map<string, Holding>()
        for (const { page: own, key, holding } of questions)
          if (own === of && !of.answers.has(key)) open.set(key, holding)
        const fault = await answerOpen(of, open)
        if (fault) faults.set(of, fault)
      }),
    )
    return questions.map(
      ({ page: of, key }) => of.answers.get(key) ?? faults.get(of) ?? new Outage('the network node'),
    )
  }

  /** @returns an outage of some or all of them */
  async function answerOpen(
    { hash, answers }: Page,
    open: ReadonlyMap<string, Holding>,
  ): Promise<Outage | undefined> {
    if (open.size === 0) return undefined
    try {
      const read = await chain.balances([...open.values()], hash)
      for (const [index, key] of [...open.keys()].entries()) {
        const answer = read[index]
        if (answer !== undefined && !(answer instanceof Outage)) answers.set(key, answer)
      }
      return read.find((answer) => answer instanceof Outage)
    } catch (fault) {
      if (fault instanceof Outage) return fault
      throw fault
    }
  }

  async function read(of: Page, holding: Holding, client: string): Promise<ReadBalance | Outage> {
    const key = `${holding.owner}:${holding.token}`
    const known = of.answers.get(key)
    if (known) return known
    return ask(client, { page: of, key, holding }).catch((fault) => {
      if (fault instanceof Outage) return fault
      throw fault
    })
  }

  return async (owner, tokens, client) => {
    const block = await heads.newest()
    const current = pageOf(block)
    const answers = await Promise.all(tokens.map((token) => read(current, { owner, token }, client)))
    const [fault] = answers.filter((answer) => answer instanceof Outage)
    const balances = answers.map((answer) => (answer instanceof Outage ? 'unavailable' : answer))
    if (fault && balances.every((balance) => balance === 'unavailable')) throw fault
    return { block: block.number, balances }
  }
}

export type BalancesUpdate = Update<Holding, KnownBalance>
export type TokenBalance = Pick<BalancesUpdate['changes'][number], 'subject' | 'value'>

export const tokenBalance = described('TokenBalance', 'The balance of an account in a token.', {
  token: derived(namedToken, ({ subject }: TokenBalance) => subject.token),
  state: derived(stateField('The state of the balance.'), ({ value }: TokenBalance) => stateOf(value)),
  balance: derived(
    uint256.orNull('The balance in atoms; null unless it is known.'),
    ({ value }: TokenBalance) => knownValue(value)?.balance ?? null,
  ),
  allowance: derived(
    uint256.orNull(
      'Atoms that the network’s vault relayer may take; null unless it is known, and for the chain’s own coin.',
    ),
    ({ value }: TokenBalance) => knownValue(value)?.allowance ?? null,
  ),
})

export const balancesUpdate = described('BalancesUpdate', 'Balances of an account at one block.', {
  ...updateFields,
  balances: from('changes', objectOf(tokenBalance).list('The changed balances, or all.')),
})

/**
 * Balances that clients watch. A new block costs one read of logs for all tokens, and one request for all
 * balances that the logs name, with those of the chain's own coin; the number of clients does not matter.
 * While there is no client, nothing is asked.
 */
export interface BalanceWatch {
  /**
   * Balances of one account with the allowances for the vault relayer: all of them first, then what has
   * changed.
   * @throws Refusal RateLimited, Unavailable when too many balances are watched
   */
  subscribe(
    account: Address,
    tokens: readonly Address[],
    subscriber: Subscriber,
  ): AsyncGenerator<BalancesUpdate, void>
}

interface BalanceWatchOptions {
  chain: Pick<Chain, 'balances' | 'block' | 'changedHoldings'>
  heads: Heads
  /** Balances watched in this process. */
  max: number
  now: Clock
  log: Log
}

/** Some tokens change balances without a log: every balance is read again after this time. */
const oldMs = 60_000
/** Balances that are read again for their age, in one block. */
const maxOld = 200
/** The time after which no further request begins before watchers get the balances that were read. */
const readingMs = 250

type BalanceEntry = Entry<Holding, KnownBalance>

export function createBalanceWatch({ chain, heads, max, now, log }: BalanceWatchOptions): BalanceWatch {
  const changes = createHoldingChanges({ chain, log })
  const watch = createWatch<Holding, KnownBalance>({
    what: 'balances',
    max,
    now,
    keyOf: ({ owner, token }) => `${owner}:${token}`,
    isEqual,
    start: () => heads.listen({ onHead, onOutage }),
    onSubscribed: () => heads.wake(),
  })
  const { entries, due } = watch
  let lastHash: string | undefined

  function onOutage(): void {
    changes.forget()
    lastHash = undefined
    watch.away()
  }

  async function onHead(head: Block): Promise<void> {
    await read(head)
    watch.settle(head.number)
  }

  /** Reads due balances. Those that are not read in time stay due, for the next poll. */
  async function read(head: Block): Promise<void> {
    const isNew = head.hash !== lastHash
    if (isNew) await markChanged(head)
    // One that could not be read waits for the next block.
    const reading = isNew ? [...due] : [...due].filter(({ value }) => value !== 'unavailable')
    const began = now()
    for (const [index, asked] of inRequests(reading).entries()) {
      if (index > 0 && now() - began > readingMs) {
        heads.wake()
        break
      }
      const answers = await answersOf(asked, head, index === 0)
      for (const [place, entry] of asked.entries()) {
        const answer = answers[place]
        const isRead = answer !== undefined && !(answer instanceof Outage)
        watch.set(entry, isRead ? answer : 'unavailable', isRead)
      }
    }
    lastHash = head.hash
  }

  /**
   * @throws Outage when the first request is not answered. Later ones may be hostile tokens alone: that says
   *   nothing about the node.
   */
  async function answersOf(
    entries: readonly BalanceEntry[],
    head: Block,
    isFirst: boolean,
  ): Promise<(ReadBalance | Outage)[]> {
    const holdings = entries.map(({ subject }) => subject)
    try {
      return await chain.balances(holdings, head.hash)
    } catch (fault) {
      if (isFirst || !(fault instanceof Outage)) throw fault
      return []
    }
  }

  /** Adds to those that are due what this block may have changed. */
  async function markChanged(head: Block): Promise<void> {
    const all = [...entries.values()]
    const tokens = new Set(all.map(({ subject }) => subject.token))
    tokens.delete(nativeMarker)
    const changed = await changes.upTo(head, [...tokens])
    for (const entry of all) if (mayHaveChanged(entry, changed)) due.add(entry)
    let old = 0
    for (const entry of all) {
      if (entry.readAt > now() - oldMs || old++ >= maxOld) break
      due.add(entry)
    }
    // A client may have left meanwhile.
    for (const entry of due) if (entry.watchers.size === 0) due.delete(entry)
  }

  return {
    subscribe: (owner, tokens, subscriber) =>
      watch.subscribe(
        tokens.map((token) => ({ owner, token })),
        subscriber,
      ),
  }
}

/**
 * Splits balances into requests: native coins and balances that were read well before come first, then new
 * ones, then those that failed the last time.
 */
function inRequests(reading: readonly BalanceEntry[]): BalanceEntry[][] {
  const ranks: BalanceEntry[][] = [[], [], [], []]
  for (const entry of inTurns(reading)) ranks[rankOf(entry)]?.push(entry)
  const [coins = [], ...tokens] = ranks
  const [known = [], ...others] = tokens.map((entries) => chunksOf(entries, holdingsPerRequest))
  const [first = [], ...later] = known
  return [[...coins, ...first], ...later, ...others.flat()].filter(({ length }) => length > 0)
}

/** One of each account, then the second ones: an account with many tokens delays itself only. */
function inTurns(reading: readonly BalanceEntry[]): BalanceEntry[] {
  const counts = new Map<Address, number>()
  const placed = reading.map((entry) => {
    const place = counts.get(entry.subject.owner) ?? 0
    counts.set(entry.subject.owner, place + 1)
    return { entry, place }
  })
  return placed.sort((one, other) => one.place - other.place).map(({ entry }) => entry)
}

function rankOf({ subject, value }: BalanceEntry): number {
  if (subject.token === nativeMarker) return 0
  if (value === undefined) return 2
  return value === 'absent' || value === 'unavailable' ? 3 : 1
}

function mayHaveChanged({ key, subject }: BalanceEntry, changed: ReadonlySet<string> | 'all'): boolean {
  return changed === 'all' || subject.token === nativeMarker || changed.has(key)
}

function isEqual(one: KnownBalance, other: KnownBalance): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.balance === other.balance && one.allowance === other.allowance
}
