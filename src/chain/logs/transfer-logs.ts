import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { type LogPlace, type LogRange, type NoteOddLog, parsePlace, readLogs } from './logs.ts'

/** A transfer in atoms. A transfer from the zero address is a mint, a transfer to it a burn. */
export interface TransferLog extends LogPlace {
  type: 'transfer'
  token: Address
  from: Address
  to: Address
  amount: bigint
}

/** A transfer event that does not follow ERC-20: the token's balances cannot be derived. */
export interface UnreadableLog extends LogPlace {
  type: 'unreadable'
  token: Address
}

export type TokenLog = TransferLog | UnreadableLog

const events = {
  transfer: keccakText('Transfer(address,address,uint256)'),
  deposit: keccakText('Deposit(address,uint256)'),
  withdrawal: keccakText('Withdrawal(address,uint256)'),
}

/** The topics to read for these tokens. The wrapped native token also has Deposit and Withdrawal. */
export function transferEvents(
  tokens: readonly Address[],
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): Bytes32[] {
  if (tokens.length === 0) return []
  return tokens.includes(wrappedNative) ? Object.values(events) : [events.transfer]
}

/**
 * Reads transfers of these tokens in a block range, by block and log index.
 * @throws Outage as `readLogs` does
 */
export async function tokenLogs(
  { rpc, network, noteOdd }: { rpc: Rpc; network: Pick<Network, 'wrappedNative'>; noteOdd?: NoteOddLog },
  tokens: readonly Address[],
  range: LogRange,
): Promise<TokenLog[]> {
  const filter = { addresses: tokens, events: transferEvents(tokens, network) }
  return toTokenLogs(await readLogs(rpc, filter, range, noteOdd), tokens, network)
}

/**
 * Parses token logs in order, without those of other contracts and events. `raw` has all logs of each
 * transaction.
 */
export function toTokenLogs(
  raw: readonly unknown[],
  tokens: readonly Address[],
  network: Pick<Network, 'wrappedNative'>,
): TokenLog[] {
  const tokenSet = new Set(tokens)
  return withoutDuplicates(raw.flatMap((item) => parseTokenLog(item, tokenSet, network) ?? []))
}

interface ParsedTokenLog {
  log: TokenLog
  /** True for a Deposit or Withdrawal event. */
  isWrapping: boolean
}

/**
 * Removes duplicates of wrapping. Some wrapped native tokens log it only as Deposit and Withdrawal, like
 * WETH9, some as a transfer from or to the zero address, some as both. If one transaction has both for the
 * same account and amount, the transfer counts.
 */
function withoutDuplicates(parsed: readonly ParsedTokenLog[]): TokenLog[] {
  const transfers = new Map<string, number>()
  for (const { log, isWrapping } of parsed) {
    if (isWrapping || log.type !== 'transfer' || ![log.from, log.to].includes(zeroAddress)) continue
    transfers.set(transferKey(log), (transfers.get(transferKey(log)) ?? 0) + 1)
  }
  return parsed.flatMap(({ log, isWrapping }) => {
    const duplicates = isWrapping && log.type === 'transfer' ? (transfers.get(transferKey(log)) ?? 0) : 0
    if (log.type !== 'transfer' || duplicates === 0) return [log]
    transfers.set(transferKey(log), duplicates - 1)
    return []
  })
}

function transferKey({ txHash, token, from, to, amount }: TransferLog): string {
  return [txHash, token, from, to, amount].join()
}

function parseTokenLog(
  raw: unknown,
  tokens: ReadonlySet<Address>,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): ParsedTokenLog | undefined {
  const item = parseObject(raw)
  const token = parseHex(item.address, 20)
  if (!tokens.has(token)) return undefined
  const [event, ...indexed] = parseList(item.topics).map((topic) => parseHash(topic))
  const isTransfer = event === events.transfer
  const isWrapping = token === wrappedNative && (event === events.deposit || event === events.withdrawal)
  if (!isTransfer && !isWrapping) return undefined
  const place = { ...parsePlace(item), token }
  const parties = indexed.map(addressIn)
  const data = parseHex(item.data)
  const isStandard = indexed.length === (isTransfer ? 2 : 1) && hexSize(data) === 32
  const [from, to = zeroAddress] = event === events.deposit ? [zeroAddress, parties[0]] : parties
  if (!isStandard || !from || parties.includes(undefined))
    return { log: { type: 'unreadable', ...place }, isWrapping }
  return { log: { type: 'transfer', ...place, from, to, amount: BigInt(data) }, isWrapping }
}

/** The address in a word; undefined if the word is not an address. */
function addressIn(word: Hex): Address | undefined {
  return word.startsWith(`0x${'00'.repeat(12)}`) ? address(`0x${word.slice(26)}`) : undefined
}
