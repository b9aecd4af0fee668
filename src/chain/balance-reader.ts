import { Outage } from '../domain/errors/error.ts'
import { encodeList, encodeTuple, word } from '../domain/evm/abi.ts'
import { type Address, nativeMarker, zeroAddress } from '../domain/evm/address.ts'
import type { Bytes32, Hex } from '../domain/evm/hex.ts'
import { balanceReaderCode } from './bytecode.generated.ts'
import { chunksOf, type Rpc, RpcError, type RpcResponse } from './rpc/rpc.ts'
import { available, parseHex, parseResponse, toQuantity } from './rpc/wire.ts'

export interface Holding {
  owner: Address
  /** The token; `nativeMarker` for the chain's own coin. */
  token: Address
}

/** A balance in atoms. */
export interface Balance {
  balance: bigint
  /**
   * The amount that the spender may take; null if allowances do not exist: for the chain's own coin, and for
   * unusual tokens.
   */
  allowance: bigint | null
}

/**
 * A balance; `absent` for an address that has no balances, because it has no code or does not answer as a
 * token.
 */
export type ReadBalance = Balance | 'absent'

interface BalanceQuestion {
  spender: Address
  /** The block; the newest if absent. */
  blockHash?: Bytes32
}

/**
 * The limits of one call. Even if every token uses up its gas, the call stays below 2^24, the limit of one
 * transaction, and its result below the 24,576 bytes of code.
 */
const holdingsPerCall = 24
const accountsPerCall = 500
const callGas = toQuantity(2 ** 24)
/**
 * The maximum number of token calls in a request. Tokens are untrusted code that may use up all of its gas: a
 * slow node must answer the request in time.
 */
const tokenCallsPerRequest = 10
const coinCallsPerRequest = 90
/** The maximum number of token holdings in one request to the node. */
export const holdingsPerRequest = holdingsPerCall * tokenCallsPerRequest

/**
 * Reads balances at one block, in the order of `holdings`, request by request. A token that makes the call
 * fail is an Outage; the other tokens of its call are not affected.
 * @throws Outage if the node answers no call, also if it does not have the block
 */
export async function readBalances(
  rpc: Rpc,
  holdings: readonly Holding[],
  question: BalanceQuestion,
): Promise<(ReadBalance | Outage)[]> {
  const isCoin = ({ token }: Holding) => token === nativeMarker
  const groups = [
    ...chunksOf(holdings.filter(isCoin), accountsPerCall),
    ...chunksOf(
      holdings.filter((holding) => !isCoin(holding)),
      holdingsPerCall,
    ),
  ]
  const first = await readGroups(rpc, groups, question)
  const failed = groups.filter((_, index) => first[index] instanceof Outage)
  const [fault] = first.filter((answer) => answer instanceof Outage)
  // A token may have broken the only call.
  const isWorthRepeating = groups.length === 1 && holdings.length > 1 && fault?.cause instanceof RpcError
  if (fault && failed.length === groups.length && !isWorthRepeating) throw fault
  const retried = failed.flatMap((group) => group.map((holding) => [holding]))
  const second = retried.length > 0 ? await readGroups(rpc, retried, question) : []
  if (fault && retried.length === holdings.length && second.every((answer) => answer instanceof Outage))
    throw fault
  const results = new Map<Holding, ReadBalance | Outage>()
  const note = (group: readonly Holding[], answer: ReadBalance[] | Outage | undefined) => {
    for (const [index, holding] of group.entries()) {
      const result = answer instanceof Outage ? answer : answer?.[index]
      results.set(holding, result ?? new Outage('the network node'))
    }
  }
  for (const [index, group] of groups.entries()) note(group, first[index])
  for (const [index, group] of retried.entries()) note(group, second[index])
  return holdings.map((holding) => results.get(holding) ?? new Outage('the network node'))
}

/** Reads the groups, with an Outage for each group that was not read. */
async function readGroups(
  rpc: Rpc,
  groups: readonly (readonly Holding[])[],
  { spender, blockHash }: BalanceQuestion,
): Promise<(ReadBalance[] | Outage)[]> {
  const coins = chunksOf(groups.filter(isOfCoins), coinCallsPerRequest)
  const tokens = chunksOf(
    groups.filter((group) => !isOfCoins(group)),
    tokenCallsPerRequest,
  )
  const answers = new Map<readonly Holding[], ReadBalance[] | Outage>()
  let outage: Outage | undefined
  for (let index = 0; index < Math.max(coins.length, tokens.length); index++) {
    const asked = [...(coins[index] ?? []), ...(tokens[index] ?? [])]
    const calls = asked.map((group) => ({
      method: 'eth_call',
      params: [{ data: encode(group, spender), gas: callGas }, blockHash ? { blockHash } : 'latest'],
    }))
    const responses = outage ?? (await available(rpc.batch(calls)).catch(toOutage))
    // Further requests would wait as long without a result.
    if (responses instanceof Outage) outage = responses
    for (const [place, group] of asked.entries())
      answers.set(group, responses instanceof Outage ? responses : decode(responses[place], group))
  }
  return groups.map((group) => answers.get(group) ?? new Outage('the network node'))
}

function toOutage(fault: unknown): Outage {
  if (fault instanceof Outage) return fault
  throw fault
}

/**
 * The reader's creation code, followed by the constructor's arguments. A group has either coins or tokens.
 */
function encode(group: readonly Holding[], spender: Address): Hex {
  const coins = isOfCoins(group) ? group.map(({ owner }) => word(owner)) : []
  const tokens = isOfCoins(group) ? [] : group.map(({ owner, token }) => word(owner) + word(token))
  return `${balanceReaderCode}${encodeTuple([
    word(spender),
    { dynamic: encodeList(coins) },
    { dynamic: encodeList(tokens) },
  ])}`
}

function decode(response: RpcResponse | undefined, group: readonly Holding[]): ReadBalance[] | Outage {
  try {
    const words = (parseHex(parseResponse(response)).slice(2).match(/.{64}/g) ?? []).map((digits) =>
      BigInt(`0x${digits}`),
    )
    const perHolding = isOfCoins(group) ? 1 : 3
    if (words.length !== perHolding * group.length)
      throw new Outage(
        'the network node',
        new TypeError(`${words.length} words for ${group.length} holdings`),
      )
    const at = (index: number) => words[index] ?? 0n
    if (perHolding === 1) return words.map((balance) => ({ balance, allowance: null }))
    return group.map((_, index) => toBalance(at(3 * index), at(3 * index + 1), at(3 * index + 2)))
  } catch (fault) {
    if (fault instanceof Outage) return fault
    throw fault
  }
}

function toBalance(flags: bigint, balance: bigint, allowance: bigint): ReadBalance {
  if ((flags & 1n) === 0n) return 'absent'
  return { balance, allowance: (flags & 2n) === 0n ? null : allowance }
}

function isOfCoins([first]: readonly Holding[]): boolean {
  return (first?.token ?? zeroAddress) === nativeMarker
}
