import { Interface } from 'ethers'
import { maxUint256 } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import { encodeBytes, encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Interaction, OrderData, OrderUid } from '../../domain/order/order.ts'
import { orderUid } from '../../domain/signing/signing.ts'
import { hashWords, uintWord } from '../../domain/signing/typed-data.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseHex } from '../rpc/wire.ts'
import { encodeSettle, encodeTrade } from '../settlement/call.ts'

/** The argument of TradeCheck.sol, which declares these three types. */
interface TradeCall {
  settlement: Address
  relayer: Address
  trader: Address
  receiver: Address
  sellToken: Address
  buyToken: Address
  buysNative: boolean
  orderUid: OrderUid
  settle: Hex
  others: readonly Address[]
}

interface Holdings {
  sell: bigint
  buy: bigint
  native: bigint
  received: bigint
}

export interface TradeCallAnswer {
  settled: boolean
  gas: bigint
  before: Holdings
  afterwards: Holdings
  spent: string
  revertData: string
  presigned: boolean
  balance: bigint
  allowance: bigint
}

const holdings = '(uint256 sell, uint256 buy, uint256 native, uint256 received)'
const checkAbi = new Interface([
  `function ask((address settlement, address relayer, address trader, address receiver, address sellToken, address buyToken, bool buysNative, bytes orderUid, bytes settle, address[] others) question) returns ((bool settled, uint256 gas, ${holdings} before, ${holdings} afterwards, address spent, bytes revertData, bool presigned, uint256 balance, uint256 allowance) answer)`,
])

const askSelector = checkAbi.getFunction('ask')?.selector as Hex

export function encodeTradeCall(call: TradeCall): Hex {
  const question = encodeTuple([
    ...[call.settlement, call.relayer, call.trader, call.receiver, call.sellToken, call.buyToken].map(word),
    word(call.buysNative ? 1n : 0n),
    { dynamic: encodeBytes(call.orderUid) },
    { dynamic: encodeBytes(call.settle) },
    { dynamic: encodeList(call.others.map(word)) },
  ])
  return `${askSelector}${encodeTuple([{ dynamic: question }])}`
}

/**
 * Decodes the answer.
 * @throws Outage if the checking code cannot have returned it, as from a node that ignores overrides
 */
export function decodeTradeCall(returned: Hex): TradeCallAnswer {
  try {
    return checkAbi.decodeFunctionResult('ask', returned)[0]
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

const authenticatorAbi = new Interface(['function authenticator() view returns (address)'])

/** Reads the settlement contract's solver allow-list. @throws Outage */
export async function readAuthenticator(rpc: Rpc, { settlement }: Network): Promise<Address> {
  const data = authenticatorAbi.encodeFunctionData('authenticator')
  const returned = parseHex(await available(rpc.call('eth_call', [{ to: settlement, data }, 'latest'])))
  try {
    return address(String(authenticatorAbi.decodeFunctionResult('authenticator', returned)[0]))
  } catch (fault) {
    throw new Outage('the network node', fault)
  }
}

type FabricatedTrade = Pick<
  OrderData,
  'kind' | 'receiver' | 'sellToken' | 'buyToken' | 'sellAmount' | 'buyAmount'
> & {
  owner: Address
  interactions: readonly [
    pre: readonly Interaction[],
    intra: readonly Interaction[],
    post: readonly Interaction[],
  ]
}

/**
 * A settlement of an unsigned order. It is valid once `slot` of the settlement contract's storage holds
 * `presigned`.
 */
export interface FabricatedSettlement {
  calldata: Hex
  orderUid: OrderUid
  slot: Bytes32
}

/**
 * The appData of the simulated order. No real order has it, so the order cannot be filled or invalidated
 * already.
 */
const appData = keccakText('TradeCheck: an order that is simulated and never signed')
const maxValidTo = 2 ** 32 - 1

/** The value that the settlement contract stores for a pre-signed order. */
export const presigned = keccakText('GPv2Signing.Scheme.PreSign')
/** The slot of the `preSignature` mapping in the settlement contract. */
const preSignatureBase = uintWord(0n)

/**
 * Creates a settlement that takes exactly `sellAmount` and pays exactly `buyAmount`.
 * @returns undefined if their product exceeds uint256
 */
export function fabricateSettlement(
  { owner, interactions, ...terms }: FabricatedTrade,
  { chainId, settlement }: Pick<Network, 'chainId' | 'settlement'>,
): FabricatedSettlement | undefined {
  const { sellToken, buyToken, sellAmount, buyAmount } = terms
  if (sellAmount * buyAmount > maxUint256) return undefined
  const order = {
    ...terms,
    receiver: terms.receiver === zeroAddress ? null : terms.receiver,
    validTo: maxValidTo,
    appData,
    feeAmount: 0n,
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  } satisfies OrderData
  const signed = { ...order, owner, signingScheme: 'presign', signature: '0x' } as const
  const uid = orderUid({ chainId, settlement }, order, owner)
  return {
    calldata: encodeSettle({
      tokens: [sellToken, buyToken],
      clearingPrices: [buyAmount, sellAmount],
      trades: [encodeTrade(signed, { sell: 0, buy: 1 }, 0n)],
      interactions,
      auctionId: 0n,
    }),
    orderUid: uid,
    slot: hashWords(uid, preSignatureBase),
  }
}
