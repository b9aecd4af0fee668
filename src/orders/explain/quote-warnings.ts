import { type AppDataSources, readAppData } from '../../app-data/read.ts'
import { toAppDataInput } from '../../domain/app-data/document.ts'
import { fundsReasons } from '../../domain/diagnosis/account-reasons.ts'
import { noLimitPays } from '../../domain/diagnosis/advice.ts'
import { serviceReasons } from '../../domain/diagnosis/auction-reasons.ts'
import { inOrder } from '../../domain/diagnosis/diagnose.ts'
import { type Reason, reasonOf, tokenOf } from '../../domain/diagnosis/diagnosis.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import { orderToSign } from '../../domain/quote/amounts.ts'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import { readableDown, readableUp } from '../../domain/text/readable.ts'
import type { Db } from '../../storage/database/database.ts'
import { readUnplacedOrderFacts, type UnplacedOrderFacts } from '../../storage/order/diagnosis-facts.ts'
import { type DiagnosisServices, toFunds, unplacedOrderFacts } from '../diagnose.ts'

export interface WarningServices extends DiagnosisServices {
  db: Db
  appDataSources: AppDataSources
}

/** What bears on an order before its price is known. */
export interface WarningFacts {
  /** Null where the database did not answer. */
  stored: UnplacedOrderFacts | null
  /** Of the sell token; null where nobody sells yet, or the token does not answer. */
  funds: { balance: bigint; allowance: bigint } | 'away' | null
}

/** Reads both at once; a read that fails is no fault. */
export async function readWarningFacts(
  { from, sellToken, buyToken }: { from: Address; sellToken: Address; buyToken: Address },
  { db, network, now, chain }: WarningServices,
): Promise<WarningFacts> {
  const { chainId } = network
  const [stored, held] = await Promise.all([
    readUnplacedOrderFacts(db, { chainId, sellToken, buyToken, uid: null, now: new Date(now()) }).catch(
      asOutage,
    ),
    from === zeroAddress ? null : chain.balances([{ owner: from, token: sellToken }]).catch(asOutage),
  ])
  const balance = held instanceof Outage ? 'away' : (held?.[0] ?? null)
  return {
    stored: stored instanceof Outage ? null : stored,
    // An Outage of one balance is the token's: it does not end in its time.
    funds:
      balance === null || balance === 'away' ? balance : balance instanceof Outage ? null : toFunds(balance),
  }
}

function asOutage(fault: unknown): Outage {
  if (fault instanceof Outage) return fault
  throw fault
}

const noFacts: UnplacedOrderFacts = {
  ...{ tokens: { sell: null, buy: null }, market: null, presigned: false },
  service: { indexed: null, head: null, auctionAt: null },
}

/**
 * What would keep the order to sign from being filled, of what is at hand and what one look at the account
 * shows.
 */
export async function quoteWarnings(
  reply: QuoteReply,
  slippageBps: number,
  look: WarningFacts,
  services: WarningServices,
): Promise<Reason[]> {
  const { quote, terms } = reply
  const { stored, funds } = look
  const { signingScheme } = terms
  // Hooks are looked up only where the funds do not suffice.
  const order = { ...orderToSign(reply, slippageBps), signingScheme, validFrom: null, hasPreHooks: false }
  const facts = unplacedOrderFacts(order, stored ?? noFacts, services)
  const isAway = funds === 'away'
  const reasons = serviceReasons({ ...facts, look: isAway ? 'away' : null }).filter(
    // Without the database nothing is known of the service.
    ({ code }) => stored !== null || code === 'nodeAway',
  )
  // The contract that places an order on chain pays for it, with what it is sent then.
  if (funds !== null && !isAway && quote.quoteKind === 'standard') {
    const short = fundsReasons(facts, funds, null)
    if (short.length > 0 && !(await hasPreHooks(terms.appData, services))) reasons.push(...short)
  }
  if (quote.feeAmount > quote.sellAmount) {
    const { feeAmount: fee, sellAmount: left, sellToken: token } = quote
    const words = tokenOf(facts, token)
    const summary = `To settle the order costs ${readableUp(fee, words)}, more than the ${readableDown(left, words)} that it trades. It would have to sell more than that cost.`
    const evidence = { kind: 'fee', token, fee, left, leastAmount: null } as const
    reasons.push({ ...reasonOf('costsMoreThanItBrings', null, [evidence], summary), advice: noLimitPays })
  }
  if (!quote.verified) reasons.push(reasonOf('priceUnverified', null))
  return inOrder(reasons)
}

/** Whether calls of its own run before the order: they may bring what it sells. */
async function hasPreHooks(appData: string, { appDataSources }: WarningServices): Promise<boolean> {
  try {
    const { parsedAppData } = await readAppData(toAppDataInput(appData), { ...appDataSources, gateway: null })
    return parsedAppData.preHooks.length > 0
  } catch (fault) {
    if (fault instanceof Refusal || fault instanceof Outage) return false
    throw fault
  }
}
