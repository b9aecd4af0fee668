import { Interface } from 'ethers'
import { Outage } from '../../domain/errors/error.ts'
import { encodeBytes, encodeList, encodeTuple, word } from '../../domain/evm/abi.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Network } from '../../domain/network/network.ts'
import type { OrderUid } from '../../domain/order/uid.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseHex } from '../rpc/wire.ts'

/** The argument of TradeCheck.sol, which declares these three types. */
export interface TradeCall {
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

export interface Holdings {
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
