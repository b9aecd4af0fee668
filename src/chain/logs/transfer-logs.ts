import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import { hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import { byPlace, type LogPlace, parsePlace, readLogs } from './logs.ts'

/** Atoms changed hands. The zero address stands for nobody: from it they are created, to it they are destroyed. */
export interface TransferLog extends LogPlace {
  type: 'transfer'
  token: Address
  from: Address
  to: Address
  amount: bigint
}

/** A token told of a transfer in a form that is no ERC-20's: what its balances are cannot be followed. */
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

/** What tokens of a network are asked for: the wrapped coin has words of its own for wrapping. */
export function transferEvents(
  tokens: readonly Address[],
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): Bytes32[] {
  if (tokens.length === 0) return []
  return tokens.includes(wrappedNative) ? Object.values(events) : [events.transfer]
}

/**
 * What these tokens logged of transfers in these blocks, both ends included, by block and log index.
 * @throws Outage as `readLogs` does
 */
export async function tokenLogs(
  { rpc, network }: { rpc: Rpc; network: Pick<Network, 'wrappedNative'> },
  tokens: readonly Address[],
  fromBlock: number,
  toBlock: number,
): Promise<TokenLog[]> {
  const filter = { addresses: tokens, events: transferEvents(tokens, network) }
  return toTokenLogs(await readLogs(rpc, filter, fromBlock, toBlock), tokens, network).sort(byPlace)
}

/** Logs of other contracts and other events are left out. `raw` holds whole transactions. */
export function toTokenLogs(
  raw: readonly unknown[],
  tokens: readonly Address[],
  network: Pick<Network, 'wrappedNative'>,
): TokenLog[] {
  const meant = new Set(tokens)
  return withoutDuplicates(raw.flatMap((item) => parseTokenLog(item, meant, network) ?? []))
}

interface Parsed {
  log: TokenLog
  /** Told by Deposit or Withdrawal. */
  isWrapping: boolean
}

/**
 * Some wrapped coins tell of wrapping by Deposit and Withdrawal alone, as WETH9 does, some by a transfer from or to nobody, some by both.
 * Of both in one transaction, for the same account and amount, the transfer counts.
 */
function withoutDuplicates(parsed: readonly Parsed[]): TokenLog[] {
  const transfers = new Map<string, number>()
  for (const { log, isWrapping } of parsed) {
    if (isWrapping || log.type !== 'transfer' || ![log.from, log.to].includes(zeroAddress)) continue
    transfers.set(keyOf(log), (transfers.get(keyOf(log)) ?? 0) + 1)
  }
  return parsed.flatMap(({ log, isWrapping }) => {
    const result = isWrapping && log.type === 'transfer' ? (transfers.get(keyOf(log)) ?? 0) : 0
    if (log.type !== 'transfer' || result === 0) return [log]
    transfers.set(keyOf(log), result - 1)
    return []
  })
}

function keyOf({ txHash, token, from, to, amount }: TransferLog): string {
  return [txHash, token, from, to, amount].join()
}

function parseTokenLog(
  raw: unknown,
  tokens: ReadonlySet<Address>,
  { wrappedNative }: Pick<Network, 'wrappedNative'>,
): Parsed | undefined {
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
  const isWhole = indexed.length === (isTransfer ? 2 : 1) && hexSize(data) === 32
  const [first, second = zeroAddress] = event === events.deposit ? [zeroAddress, parties[0]] : parties
  if (!isWhole || !first || parties.includes(undefined))
    return { log: { type: 'unreadable', ...place }, isWrapping }
  return { log: { type: 'transfer', ...place, from: first, to: second, amount: BigInt(data) }, isWrapping }
}

/** `undefined` for a word that no address fits. */
function addressIn(word: Hex): Address | undefined {
  return word.startsWith(`0x${'00'.repeat(12)}`) ? address(`0x${word.slice(26)}`) : undefined
}
