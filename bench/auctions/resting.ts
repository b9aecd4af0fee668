import type { Market } from '../../src/dev/market/market.ts'
import { address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { type NewOrder, type OrderData, packOrderUid } from '../../src/domain/order/order.ts'
import { openDatabase } from '../../src/storage/database/database.ts'
import { insertOrders } from '../../src/storage/order/insert.ts'
import { signOrder, type Trader } from '../placing/submissions.ts'
import { amountWorth, type PricedToken } from '../quoting/pools.ts'

/** An owner of resting orders. A wallet checks the signature of `key`; orders with hooks first run a call. */
export interface Owner extends Trader {
  kind: 'plain' | 'wallet' | 'hooks'
  /** The sold and bought tokens. */
  pairs: readonly (readonly [PricedToken, PricedToken])[]
}

const pairsOfOwner = 3
/** The value of each order, in wei. */
const worth = 5n * 10n ** 17n
const perPage = 500
/** The calldata of `totalSupply()`. */
const hookCall: Hex = '0x18160ddd'
const document = '{"appCode":"bench resting","metadata":{},"version":"1.3.0"}'

/** Describes owners: every tenth is a contract wallet of the first trader, every tenth has hooks. */
export function describeOwners(traders: readonly Trader[], pairs: Owner['pairs']): Owner[] {
  const [signer] = traders
  if (!signer) throw new Error('there are no traders')
  return traders.map((trader, index) => ({
    ...trader,
    ...(index % 10 === 4 && { address: walletAddress(index), key: signer.key }),
    kind: index % 10 === 4 ? 'wallet' : index % 10 === 9 ? 'hooks' : 'plain',
    pairs: Array.from({ length: pairsOfOwner }, (_, turn) => {
      const pair = pairs[(index * pairsOfOwner + turn) % pairs.length]
      if (!pair) throw new Error('there are no pairs')
      return pair
    }),
  }))
}

function walletAddress(index: number) {
  return address(`0x${(0xa11e7_0000 + index).toString(16).padStart(40, '0')}`)
}

export interface RestingOptions {
  owners: readonly Owner[]
  count: number
  market: Market
  /** An order's limit price in thousandths of the market price. */
  asks: (number: number) => number
}

/** Inserts orders; the owners alternate. */
export async function insertResting(databaseUrl: string, options: RestingOptions): Promise<void> {
  const { count } = options
  const db = openDatabase({ url: databaseUrl, maxConnections: 4 })
  try {
    for (let start = 0; start < count; start += perPage) {
      const page = Array.from({ length: Math.min(perPage, count - start) }, (_, index) =>
        restingOrder(start + index, options),
      )
      await db.transaction((tx) => insertOrders(tx, page))
    }
  } finally {
    await db.close()
  }
}

function restingOrder(number: number, { owners, market, asks }: RestingOptions): NewOrder {
  const owner = owners[number % owners.length]
  const pair = owner?.pairs[Math.floor(number / owners.length) % pairsOfOwner]
  if (!owner || !pair) throw new Error('there are no owners')
  const [sell, buy] = pair
  const data: OrderData = {
    sellToken: sell.address,
    buyToken: buy.address,
    receiver: owner.address,
    sellAmount: amountWorth(sell, worth),
    buyAmount: amountWorth(buy, (worth * BigInt(asks(number))) / 1_000n),
    validTo: Math.floor(Date.now() / 1_000) + 86_400,
    appData: keccakText(document),
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: number % 2 === 0,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const { digest, signature } = signOrder(owner, data, market)
  const { network } = market
  const call = { target: network.wrappedNative, value: 0n, callData: hookCall }
  return {
    ...data,
    chainId: network.chainId,
    uid: packOrderUid(digest, owner.address, data.validTo),
    owner: owner.address,
    settlementContract: network.settlement,
    class: 'limit',
    onchainUser: null,
    placementError: null,
    placementDetail: null,
    signingScheme: owner.kind === 'wallet' ? 'eip1271' : 'eip712',
    signature,
    fullAppData: document,
    creationDate: new Date(),
    quoteId: null,
    fullBalanceCheck: false,
    validFrom: null,
    interactions: { pre: owner.kind === 'hooks' ? [call] : [], post: [] },
    quote: null,
    effectiveValidTo: data.validTo,
  }
}
