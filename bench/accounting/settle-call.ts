import { AbiCoder, Interface } from 'ethers'

/** A trade in calldata, with the terms of its order. */
export interface CallTrade {
  sellToken: string
  buyToken: string
  kind: 'sell' | 'buy'
  partiallyFillable: boolean
  sellAmount: bigint
  buyAmount: bigint
  executedAmount: bigint
  /** Prices of the trade, and of its tokens in the whole settlement. */
  custom: { sell: bigint; buy: bigint }
  uniform: { sell: bigint; buy: bigint }
}

export interface SettleCall {
  /** The id in the last 8 bytes. */
  auctionId: bigint
  trades: CallTrade[]
}

const trade =
  '(uint256 sellTokenIndex, uint256 buyTokenIndex, address receiver, uint256 sellAmount, uint256 buyAmount, uint32 validTo, bytes32 appData, uint256 feeAmount, uint256 flags, uint256 executedAmount, bytes signature)'
const abi = new Interface([
  `function settle(address[] tokens, uint256[] prices, ${trade}[] trades, (address target, uint256 value, bytes callData)[][3] interactions)`,
])

/** Returns undefined for another call, or one without an auction id. */
export function parseSettleCall(input: string): SettleCall | undefined {
  if (!input.startsWith('0x13d79a0b') || (input.length / 2 - 5) % 32 !== 8) return undefined
  const [tokenList, prices, trades] = abi.decodeFunctionData('settle', input)
  const tokens = [...(tokenList as Iterable<string>)].map((token) => token.toLowerCase())
  const first = (token: string): bigint => prices[tokens.indexOf(token)]
  return {
    auctionId: BigInt(`0x${input.slice(-16)}`),
    trades: [...trades].map((each) => {
      const [sell, buy] = [Number(each.sellTokenIndex), Number(each.buyTokenIndex)]
      const [sellToken = '', buyToken = ''] = [tokens[sell], tokens[buy]]
      return {
        sellToken,
        buyToken,
        kind: (each.flags & 1n) === 0n ? 'sell' : 'buy',
        partiallyFillable: (each.flags & 2n) !== 0n,
        sellAmount: each.sellAmount,
        buyAmount: each.buyAmount,
        executedAmount: each.executedAmount,
        custom: { sell: prices[sell], buy: prices[buy] },
        uniform: { sell: first(sellToken), buy: first(buyToken) },
      }
    }),
  }
}

export interface ChainLog {
  address: string
  topics: string[]
  data: string
  logIndex: string
}

export const topics = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  deposit: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  trade: '0xa07a543ab8a018198e99ca0184c93fe9050a79400a0a723441f84de1d972cc17',
  interaction: '0xed99827efb37016f2275f98c4bcf71c7551c75d59e9b450f79fa32e60be672c2',
  settlement: '0x40338ce1a7c49204f0099533b1e9a7ee0a3d261f84974ab7af36105b8c4e9db4',
}

export interface LoggedTrade {
  uid: string
  buyToken: string
  sell: bigint
  buy: bigint
}

export function parseTrade({ data }: ChainLog): LoggedTrade {
  const types = ['address', 'address', 'uint256', 'uint256', 'uint256', 'bytes']
  const [, buyToken, sell, buy, , uid] = AbiCoder.defaultAbiCoder().decode(types, data)
  return { uid, buyToken: buyToken.toLowerCase(), sell, buy }
}

export const accountIn = (topic: string | undefined) => `0x${(topic ?? '').slice(26)}`
export const wordOf = (data: string) => BigInt(data.slice(0, 66))
