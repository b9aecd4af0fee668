import { Interface } from 'ethers'
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
import { tradeCheckCode } from '../bytecode/trade-check.ts'
import { revertDataText } from '../rpc/revert.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { asOutage, available, parseHex, toQuantity } from '../rpc/wire.ts'
import { settledGas } from '../settlement/settled-gas.ts'
import type { FindTokenSlots, TokenSlots } from '../token/slots.ts'
import { decodeTradeCall, encodeTradeCall, type TradeCallAnswer } from './call.ts'
import { type FabricatedSettlement, fabricateSettlement, presigned } from './fabricated-settlement.ts'

/** One trade of somebody who need not hold anything, as a settlement of it alone. */
export interface TradeQuestion {
  kind: OrderKind
  /** The trader. The zero address stands for anybody. */
  from: Address
  /** Who gets the buy tokens; null means the trader. */
  receiver: Address | null
  sellToken: Address
  /** The native marker too: the settlement unwraps then. */
  buyToken: Address
  /** Atoms taken from the trader. */
  sellAmount: bigint
  /** Atoms paid out. */
  buyAmount: bigint
  /** Before the sell tokens come in: an estimate's own ones, then the order's hooks. */
  preInteractions: readonly Interaction[]
  /** Between the two. */
  interactions: readonly Interaction[]
  /** The order's hooks after it. */
  postInteractions: readonly Interaction[]
  /** Other tokens that the settlement contract must not have less of afterwards. */
  others: readonly Address[]
  /** Sends the transaction. */
  txOrigin: Address
  /** Whose state it is played on; null is the newest block. */
  block: number | null
}

/** What the settlement contract did. */
export type TradeAnswer =
  | {
      outcome: 'settled'
      /** Gas units of the whole transaction. */
      gas: bigint
      /** Atoms that the settlement contract has more (less, when negative) of each token than before: nobody's part of the trade. */
      sellSurplus: bigint
      /** The wrapped form and the native coin count together. */
      buySurplus: bigint
      /** Atoms that the receiver has more of. */
      received: bigint
    }
  | { outcome: 'failed'; reason: string }

/**
 * Settles it in a call that changes nothing, with balance, allowance, signature and the allow-list overridden, in one round trip.
 * @returns undefined where this cannot be played: the token's storage is not understood and the trader lacks the funds
 * @throws Outage when the node is away, or knows no state overrides, or too many wait
 */
export type CheckTrade = (question: TradeQuestion, signal?: AbortSignal) => Promise<TradeAnswer | undefined>

export interface TradeCheckOptions {
  /** Its timeout is the time that a trade gets; it should make one try. */
  rpc: Rpc
  network: Network
  slots: FindTokenSlots
  /** Calls at a time; eight times as many may wait. */
  atOnce?: number
}

/** A question, made ready to be asked. */
interface Play {
  question: TradeQuestion
  trader: Address
  receiver: Address
  /** In its wrapped form. */
  bought: Address
  settlement: FabricatedSettlement
}

const authenticatorAbi = new Interface(['function authenticator() view returns (address)'])

/** Where the checking code stands during the call, and nowhere else. */
const checkAddress = address('0x7ade0c4ec0de7ade0c4ec0de7ade0c4ec0de7ade')
/** Nobody's: trades for those who say not who they are. */
const anybody = address('0x51a9c2e87f3bd04465c1f0927eab3d86e50f7c1b')
/** Answers 1 to whatever it is asked. */
const yesCode: Hex = '0x600160005260206000f3'
/** More than almost anybody has, so that no real balance is lowered, and no more than the tokens that count in 96 bits can hold. */
const plenty = 2n ** 95n

export function createTradeCheck({ rpc, network, slots, atOnce = 32 }: TradeCheckOptions): CheckTrade {
  const inTurn = createLimiter({ what: 'the simulation of trades', running: atOnce, waiting: 8 * atOnce })
  let found: Promise<Address> | undefined

  function findAuthenticator(): Promise<Address> {
    found ??= readAuthenticator(rpc, network).catch((fault) => {
      found = undefined
      throw fault
    })
    return found
  }

  async function play(play: Play): Promise<TradeAnswer | undefined> {
    const { block } = play.question
    const [authenticator, tokenSlots] = await Promise.all([
      findAuthenticator(),
      slots(play.question.sellToken),
    ])
    const overrides = toOverrides(play, authenticator, network, tokenSlots)
    const ask = async (at: string) =>
      toAnswer(await rpc.call('eth_call', [toCall(play, network), at, overrides]), play, network)
    try {
      return await ask(block === null ? 'latest' : toQuantity(block))
    } catch (fault) {
      if (block === null || !(fault instanceof RpcError)) throw asOutage(fault)
      // The block is gone, or not there yet: the newest is near. Only success counts: a failure could come of the difference.
      const answer = await available(ask('latest'))
      if (answer?.outcome === 'settled') return answer
      throw asOutage(fault)
    }
  }

  return async (question, signal) => {
    const planned = plan(question, network)
    if (!planned) return undefined
    const work = inTurn(async () => {
      signal?.throwIfAborted()
      return play(planned)
    })
    return unlessAborted(work, signal)
  }
}

function plan(question: TradeQuestion, network: Network): Play | undefined {
  const trader = question.from === zeroAddress ? anybody : question.from
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
  const bought = buysNative ? network.wrappedNative : question.buyToken
  return settlement && { question, trader, receiver: receiver ?? trader, bought, settlement }
}

function toCall({ question, trader, receiver, bought, settlement }: Play, network: Network) {
  const asked = {
    settlement: network.settlement,
    relayer: network.vaultRelayer,
    trader,
    receiver,
    sellToken: question.sellToken,
    buyToken: bought,
    buysNative: question.buyToken === nativeMarker,
    orderUid: settlement.orderUid,
    settle: settlement.calldata,
    others: question.others.filter((token) => token !== question.sellToken && token !== bought),
  }
  return {
    from: question.txOrigin,
    to: checkAddress,
    gas: toQuantity(maxTransactionGas - 1n),
    gasPrice: '0x0',
    data: encodeTradeCall(asked),
  }
}

function toOverrides(
  { question, trader, settlement }: Play,
  authenticator: Address,
  network: Network,
  { balance, allowance }: TokenSlots,
) {
  const funds = uintWord(maxOf(question.sellAmount, plenty))
  const stateDiff = {
    ...(balance && { [balance(trader)]: funds }),
    ...(allowance && { [allowance(trader, network.vaultRelayer)]: uintWord(maxUint256) }),
  }
  return {
    ...(Object.keys(stateDiff).length > 0 && { [question.sellToken]: { stateDiff } }),
    [authenticator]: { code: yesCode },
    [network.settlement]: { stateDiff: { [settlement.slot]: presigned } },
    [checkAddress]: { code: tradeCheckCode },
  }
}

function toAnswer(returned: unknown, play: Play, network: Network): TradeAnswer | undefined {
  const answer = decodeTradeCall(parseHex(returned))
  if (answer.settled) return toSettled(answer, play, network)
  if (!answer.presigned) throw new Outage('the network node', new Error('it applies no state overrides'))
  const { sellAmount } = play.question
  if (answer.balance < sellAmount || answer.allowance < sellAmount) return undefined
  return { outcome: 'failed', reason: revertDataText(parseHex(answer.revertData)) }
}

function toSettled(
  { gas, before, afterwards, spent }: TradeCallAnswer,
  play: Play,
  network: Network,
): TradeAnswer {
  if (address(spent) !== zeroAddress) {
    return { outcome: 'failed', reason: `it spends what the settlement contract has of ${address(spent)}` }
  }
  const { question, bought, settlement } = play
  const native = afterwards.native - before.native
  const takesNative = question.sellToken === network.wrappedNative
  const paysNative = bought === network.wrappedNative
  if (native < 0n && !takesNative && !paysNative) {
    return { outcome: 'failed', reason: 'it spends native coin of the settlement contract' }
  }
  // The settlement contract's own sale or purchase is no surplus.
  const taken = play.trader === network.settlement ? question.sellAmount : 0n
  const paid = play.receiver === network.settlement ? question.buyAmount : 0n
  const sell = afterwards.sell - before.sell + taken + (takesNative ? native : 0n)
  const buy = afterwards.buy - before.buy - paid + (paysNative ? native : 0n)
  const isOneToken = question.sellToken === bought
  return {
    outcome: 'settled',
    gas: settledGas(gas, settlement.calldata),
    // One and the same token: all that is left belongs to the side that is not fixed.
    sellSurplus: !isOneToken ? sell : question.kind === 'buy' ? sell - paid : 0n,
    buySurplus: !isOneToken ? buy : question.kind === 'sell' ? buy + taken : 0n,
    received: afterwards.received - before.received,
  }
}

async function readAuthenticator(rpc: Rpc, { settlement }: Network): Promise<Address> {
  const data = authenticatorAbi.encodeFunctionData('authenticator')
  const returned = parseHex(await available(rpc.call('eth_call', [{ to: settlement, data }, 'latest'])))
  try {
    return address(String(authenticatorAbi.decodeFunctionResult('authenticator', returned)[0]))
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

/** The work itself goes on, and its end is nobody's concern. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return work
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason)
    if (signal.aborted) leave()
    else signal.addEventListener('abort', leave, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave))
  })
}
