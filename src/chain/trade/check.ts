import { createLimiter } from '../../concurrency/limiter.ts'
import { maxOf, maxUint256 } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, address, nativeMarker, zeroAddress } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction, OrderKind } from '../../domain/order/order.ts'
import { unwrapCall } from '../../domain/settlement/calldata.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { uintWord } from '../../domain/signing/typed-data.ts'
import { tradeCheckCode } from '../bytecode.generated.ts'
import { revertDataText } from '../rpc/revert.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { asOutage, available, parseHex, toQuantity } from '../rpc/wire.ts'
import { payer, pricedCall, settledGas } from '../settlement/sequence.ts'
import type { FindTokenSlots, TokenSlots } from '../token/slots.ts'
import {
  decodeTradeCall,
  encodeTradeCall,
  type FabricatedSettlement,
  fabricateSettlement,
  presigned,
  readAuthenticator,
  type TradeCallAnswer,
} from './call.ts'

/** A trade to simulate in a settlement of its own. The trader need not hold the funds. */
export interface TradeQuestion {
  kind: OrderKind
  /** The trader. The zero address stands for an unknown one. */
  from: Address
  /** The receiver; null means the trader. */
  receiver: Address | null
  sellToken: Address
  /** The buy token. For the native marker the settlement unwraps. */
  buyToken: Address
  /** The atoms taken from the trader. */
  sellAmount: bigint
  /** The atoms paid out. */
  buyAmount: bigint
  /**
   * The interactions before the sell tokens are taken: those of the estimate, followed by the order's hooks.
   */
  preInteractions: readonly Interaction[]
  /** The interactions after the sell tokens are taken, before the buy tokens are paid. */
  interactions: readonly Interaction[]
  /** The order's post hooks. */
  postInteractions: readonly Interaction[]
  /** The other tokens whose balance of the settlement contract must not decrease. */
  others: readonly Address[]
  /** The sender of the transaction. */
  txOrigin: Address
  /** The block to simulate on; null is the newest. */
  block: number | null
  /** The price of a unit of gas that contracts read; 0 by default. */
  gasPrice?: bigint | undefined
}

/** The result of the simulation. */
export type TradeAnswer =
  | {
      outcome: 'settled'
      /** The gas units of the whole transaction. */
      gas: bigint
      /** The change of the settlement contract's balance in atoms, beyond the trade itself. */
      sellSurplus: bigint
      /** The change for the buy token, as the sum of the wrapped token and the native coin. */
      buySurplus: bigint
      /** The change of the receiver's balance in atoms. */
      received: bigint
    }
  | { outcome: 'failed'; reason: string; gas: bigint }

/**
 * Simulates the settlement with balance, allowance, signature and solver allow-list overridden, in one round
 * trip.
 * @returns undefined if it cannot be simulated: the token's storage layout is unknown and the trader lacks
 *   the funds
 * @throws Outage if the node is unavailable or does not support state overrides, or the queue is full
 */
export type CheckTrade = (question: TradeQuestion, signal?: AbortSignal) => Promise<TradeAnswer | undefined>

interface TradeCheckOptions {
  /** The client of the node. Its timeout limits a trade. It should not retry. */
  rpc: Rpc
  network: Network
  slots: FindTokenSlots
  /** The number of concurrent calls. Eight times as many may wait. */
  atOnce?: number
}

interface TradeSimulation {
  question: TradeQuestion
  trader: Address
  receiver: Address
  /** The buy token, the native coin in its wrapped form. */
  boughtToken: Address
  settlement: FabricatedSettlement
}

/** The address at which the state override puts the checking code for the call. */
const checkAddress = address('0x7ade0c4ec0de7ade0c4ec0de7ade0c4ec0de7ade')
/** An unused address: the trader if the client names none. */
const anonymousTrader = address('0x51a9c2e87f3bd04465c1f0927eab3d86e50f7c1b')
/** The code that returns 1 for any call, which overrides the solver allow-list. */
export const alwaysTrueCode: Hex = '0x600160005260206000f3'
/**
 * The minimum funds: above nearly all real balances, so that the override does not lower one; fits tokens
 * that count in 96 bits.
 */
const minFunds = 2n ** 95n

export function createTradeCheck({ rpc, network, slots, atOnce = 32 }: TradeCheckOptions): CheckTrade {
  const enqueue = createLimiter({ what: 'the simulation of trades', running: atOnce, waiting: 8 * atOnce })
  let cachedAuthenticator: Promise<Address> | undefined

  function findAuthenticator(): Promise<Address> {
    cachedAuthenticator ??= readAuthenticator(rpc, network).catch((fault) => {
      cachedAuthenticator = undefined
      throw fault
    })
    return cachedAuthenticator
  }

  async function simulate(simulation: TradeSimulation): Promise<TradeAnswer | undefined> {
    const { block } = simulation.question
    const [authenticator, tokenSlots] = await Promise.all([
      findAuthenticator(),
      slots(simulation.question.sellToken),
    ])
    const overrides = toOverrides(simulation, authenticator, network, tokenSlots)
    const callCheck = async (blockTag: string) =>
      toAnswer(
        await rpc.call('eth_call', [toCall(simulation, network), blockTag, overrides]),
        simulation,
        network,
      )
    try {
      return await callCheck(block === null ? 'latest' : toQuantity(block))
    } catch (fault) {
      if (block === null || !(fault instanceof RpcError)) throw asOutage(fault)
      // The node does not have the block (yet). Try the newest one. Only success counts, because a failure
      // could be due to the other block.
      const answer = await available(callCheck('latest'))
      if (answer?.outcome === 'settled') return answer
      throw asOutage(fault)
    }
  }

  return async (question, signal) => {
    const simulation = toSimulation(question, network)
    if (!simulation) return undefined
    const work = enqueue(async () => {
      signal?.throwIfAborted()
      return simulate(simulation)
    })
    return unlessAborted(work, signal)
  }
}

function toSimulation(question: TradeQuestion, network: Network): TradeSimulation | undefined {
  const trader = question.from === zeroAddress ? anonymousTrader : question.from
  const receiver = question.receiver === zeroAddress ? null : question.receiver
  const buysNative = question.buyToken === nativeMarker
  const unwrap = buysNative ? [unwrapCall(network.wrappedNative, question.buyAmount)] : []
  const intra = [...question.interactions, ...unwrap]
  const settlement = fabricateSettlement(
    {
      ...question,
      owner: trader,
      receiver,
      interactions: [question.preInteractions, intra, question.postInteractions],
    },
    network,
  )
  const boughtToken = buysNative ? network.wrappedNative : question.buyToken
  return settlement && { question, trader, receiver: receiver ?? trader, boughtToken, settlement }
}

function toCall({ question, trader, receiver, boughtToken, settlement }: TradeSimulation, network: Network) {
  const call = {
    settlement: network.settlement,
    relayer: network.vaultRelayer,
    trader,
    receiver,
    sellToken: question.sellToken,
    buyToken: boughtToken,
    buysNative: question.buyToken === nativeMarker,
    orderUid: settlement.orderUid,
    settle: settlement.calldata,
    others: question.others.filter((token) => token !== question.sellToken && token !== boughtToken),
  }
  return {
    from: question.txOrigin,
    to: checkAddress,
    gas: toQuantity(maxTransactionGas - 1n),
    ...pricedCall(question.gasPrice ?? 0n),
    data: encodeTradeCall(call),
  }
}

function toOverrides(
  { question, trader, settlement }: TradeSimulation,
  authenticator: Address,
  network: Network,
  { balance, allowance }: TokenSlots,
) {
  const funds = uintWord(maxOf(question.sellAmount, minFunds))
  const stateDiff = {
    ...(balance && { [balance(trader)]: funds }),
    ...(allowance && { [allowance(trader, network.vaultRelayer)]: uintWord(maxUint256) }),
  }
  return {
    ...(Object.keys(stateDiff).length > 0 && { [question.sellToken]: { stateDiff } }),
    [authenticator]: { code: alwaysTrueCode },
    [network.settlement]: { stateDiff: { [settlement.slot]: presigned } },
    [checkAddress]: { code: tradeCheckCode },
    ...payer(question.txOrigin, question.gasPrice),
  }
}

function toAnswer(returned: unknown, simulation: TradeSimulation, network: Network): TradeAnswer | undefined {
  const answer = decodeTradeCall(parseHex(returned))
  if (answer.settled) return toSettled(answer, simulation, network)
  if (!answer.presigned) throw new Outage('the network node', new Error('it applies no state overrides'))
  const { sellAmount } = simulation.question
  if (answer.balance < sellAmount || answer.allowance < sellAmount) return undefined
  return { outcome: 'failed', reason: revertDataText(parseHex(answer.revertData)), gas: answer.gas }
}

function toSettled(
  { gas, before, afterwards, spent }: TradeCallAnswer,
  simulation: TradeSimulation,
  network: Network,
): TradeAnswer {
  if (address(spent) !== zeroAddress) {
    return { outcome: 'failed', reason: `it spends ${address(spent)} of the settlement contract`, gas }
  }
  const { question, boughtToken, settlement } = simulation
  const native = afterwards.native - before.native
  const takesNative = question.sellToken === network.wrappedNative
  const paysNative = boughtToken === network.wrappedNative
  if (native < 0n && !takesNative && !paysNative) {
    return { outcome: 'failed', reason: 'it spends native coin of the settlement contract', gas }
  }
  // Sales and purchases of the settlement contract itself are not surplus.
  const taken = simulation.trader === network.settlement ? question.sellAmount : 0n
  const paid = simulation.receiver === network.settlement ? question.buyAmount : 0n
  const sell = afterwards.sell - before.sell + taken + (takesNative ? native : 0n)
  const buy = afterwards.buy - before.buy - paid + (paysNative ? native : 0n)
  const isOneToken = question.sellToken === boughtToken
  return {
    outcome: 'settled',
    gas: settledGas(gas, settlement.calldata),
    // Sell and buy token are the same: the whole surplus belongs to the side that is not fixed.
    sellSurplus: !isOneToken ? sell : question.kind === 'buy' ? sell - paid : 0n,
    buySurplus: !isOneToken ? buy : question.kind === 'sell' ? buy + taken : 0n,
    received: afterwards.received - before.received,
  }
}

/** Rejects on abort; the call itself continues and its result is ignored. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    else signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}
