import { type AppDataSources, readAppData } from '../../app-data/read.ts'
import type { SimulateOrder } from '../../chain/order/simulation.ts'
import { type ParsedAppData, toAppDataInput } from '../../domain/app-data/document.ts'
import { fundsReasons } from '../../domain/diagnosis/account-reasons.ts'
import { noLimitPays } from '../../domain/diagnosis/advice.ts'
import { serviceReasons } from '../../domain/diagnosis/auction-reasons.ts'
import { inOrder, tightHooks } from '../../domain/diagnosis/diagnose.ts'
import { type Reason, reasonOf, tokenOf } from '../../domain/diagnosis/diagnosis.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { GasMeter } from '../../domain/evm/gas-meter.ts'
import type { SimulatedOrder } from '../../domain/evm/simulation.ts'
import { orderToSign } from '../../domain/quote/amounts.ts'
import type { QuoteReply } from '../../domain/quote/quote.ts'
import { hooksGas } from '../../domain/settlement/gas.ts'
import { readableDown, readableUp } from '../../domain/text/readable.ts'
import type { Db } from '../../storage/database/database.ts'
import { readUnplacedOrderFacts, type UnplacedOrderFacts } from '../../storage/order/diagnosis-facts.ts'
import { type DiagnosisServices, toFunds, unplacedOrderFacts } from '../diagnose.ts'
import { toInteractions } from '../interactions.ts'

export interface WarningServices extends DiagnosisServices {
  db: Db
  appDataSources: AppDataSources
  simulateOrder: SimulateOrder
  /** Meter of the client that requests the quote. */
  meter?: GasMeter | undefined
}

/** Facts that decide about an order before its price is known. */
export interface WarningFacts {
  /** Null where the database did not answer. */
  stored: UnplacedOrderFacts | null
  /** The funds of the sell token; null if there is no seller yet, or the token does not answer. */
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
  tokens: { sell: null, buy: null },
  market: null,
  presigned: false,
  service: { indexed: null, head: null, auctionAt: null },
}

/**
 * The reasons that would keep the order to sign from being filled, by the given facts and one look at the
 * account.
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
  const parsedAppData = await readHooks(terms.appData, services)
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
    if (parsedAppData.preHooks.length === 0) reasons.push(...short)
  }
  if (quote.feeAmount > quote.sellAmount) {
    const { feeAmount: fee, sellAmount: left, sellToken: token } = quote
    const words = tokenOf(facts, token)
    const summary = `To settle the order costs ${readableUp(fee, words)}, more than the ${readableDown(left, words)} that it trades. It would have to sell more than that cost.`
    const evidence = { kind: 'fee', token, fee, left, leastAmount: null } as const
    reasons.push({ ...reasonOf('costsMoreThanItBrings', null, [evidence], summary), advice: noLimitPays })
  }
  if (!quote.verified) reasons.push(reasonOf('priceUnverified', null))
  else reasons.push(...(await hookReasons({ ...order, owner: terms.from }, parsedAppData, services)))
  return inOrder(reasons)
}

/**
 * Returns the reasons about the hooks' gas limits, by a simulation of the order to sign; none without one.
 * The simulation of the quote ran the hooks, but does not show them.
 */
async function hookReasons(
  order: Omit<SimulatedOrder, 'signature' | 'interactions' | 'filled'>,
  parsedAppData: Hooks,
  { network, simulateOrder, meter }: WarningServices,
): Promise<Reason[]> {
  const { preHooks: pre, postHooks: post } = parsedAppData
  const gas = hooksGas(parsedAppData)
  if (gas === 0n || order.owner === zeroAddress) return []
  const interactions = toInteractions(parsedAppData, network.hooksTrampoline)
  try {
    // Each of the simulation and its trace runs the hooks.
    meter?.takeGas?.(2n * gas)
    const { hooks } = await simulateOrder({ ...order, signature: null, interactions, filled: 0n }, null, {
      tracesHooks: true,
      // Pre-hooks may bring the funds, and then need other gas than if they were there.
      fundsOwner: pre.length === 0,
    })
    return tightHooks({ pre, post }, hooks)
  } catch (fault) {
    if (fault instanceof Refusal || fault instanceof Outage) return []
    throw fault
  }
}

type Hooks = Pick<ParsedAppData, 'preHooks' | 'postHooks'>

/** The hooks of a document; none if it cannot be read. */
async function readHooks(appData: string, { appDataSources }: WarningServices): Promise<Hooks> {
  try {
    return (await readAppData(toAppDataInput(appData), { ...appDataSources, gateway: null })).parsedAppData
  } catch (fault) {
    if (fault instanceof Refusal || fault instanceof Outage) return { preHooks: [], postHooks: [] }
    throw fault
  }
}
