/**
 * Numbers of auctions begin with 1 in each order book, and rows have one key over all networks. The key of an
 * auction that is held here is its number: one sequence serves all networks. An auction of an order book that
 * a network follows has the chain id above the number, so that keys of a network rise with its numbers.
 */
const numberBits = 31n
const maxNumber = 2n ** numberBits - 1n

/** The highest chain id whose keys a column holds. */
export const maxChainId = 2 ** 31 - 1

/** The key of an auction of a followed order book; undefined for a number that no order book gives. */
export function auctionKey(chainId: number, number: bigint): bigint | undefined {
  if (number < 0n || number > maxNumber) return undefined
  return (BigInt(chainId) << numberBits) | number
}

/** The keys that an auction of this number can have on a chain: held elsewhere, and held here. */
export function auctionKeys(chainId: number, number: bigint): bigint[] {
  const key = auctionKey(chainId, number)
  return key === undefined ? [] : [key, number]
}

/** The chain of the followed order book that holds the auction; undefined for one that is held here. */
export function chainOfKey(key: bigint): number | undefined {
  return Number(key >> numberBits) || undefined
}

export function auctionNumber(key: bigint): bigint {
  return key & maxNumber
}

/** `auctionNumber` in SQL. */
export const auctionNumberSql = (key: string) => `(${key} & ${maxNumber})`

/** SQL condition: the auction of a key is held here. */
export const isHeldHereSql = (key: string) => `${key} <= ${maxNumber}`

/** SQL for the key below which all numbers of a chain begin. */
export const firstKeySql = (chainId: string) => `(${chainId}::bigint << ${numberBits})`
