import { type Holding, holdingsPerRequest, type ReadBalance } from '../chain/balance-reader.ts'
import type { Block, Chain } from '../chain/chain.ts'
import type { Heads } from '../chain/heads.ts'
import { fairBatch } from '../concurrency/batch.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'

/** `unavailable`: the node cannot read this one now. */
export type KnownBalance = ReadBalance | 'unavailable'

export interface Balances {
  /** The block that all of them were read at. */
  block: number
  /** In the order of the tokens. */
  balances: KnownBalance[]
}

/**
 * Balances of one account at the newest block, with allowances for the vault relayer. Clients are served in rotation.
 * @throws Outage when none of them can be read
 */
export type ReadBalances = (owner: Address, tokens: readonly Address[], client: string) => Promise<Balances>

export interface BalanceReadsOptions {
  chain: Pick<Chain, 'balances'>
  heads: Pick<Heads, 'newest'>
}

/** Balances that are kept of one block. */
const maxKept = 50_000
/** What comes while two requests are under way waits for the next one. */
const batching = {
  maxBatch: holdingsPerRequest,
  concurrency: 2,
  maxWaiting: 20_000,
  refusal: () => new Outage('the network node', new Error('too many balances wait')),
}

/** What was read at one block. */
interface Page {
  hash: Block['hash']
  /** By account and token. A read that failed is not kept. */
  answers: Map<string, ReadBalance>
}

interface Question {
  page: Page
  key: string
  holding: Holding
}

/** What is asked about the same block is read once, and what is asked at the same time is one request. */
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
