import { type Address, address, zeroAddress } from '../../domain/evm/address.ts'
import { type Bytes32, type Hex, hexSize } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { Network } from '../../domain/network/network.ts'
import { addressWord, type LoggedRight, parseRight, rightEvents } from '../../domain/settlement/rights.ts'
import { chunksOf, type Rpc } from '../rpc/rpc.ts'
import { parseHash, parseHex, parseList, parseObject } from '../rpc/wire.ts'
import {
  type LogFilter,
  type LogPosition,
  type LogRange,
  type NoteOddLog,
  parseLogPosition,
  readLogs,
  readLogsAtOnce,
} from './logs.ts'

/** A transfer in atoms. A transfer from the zero address is a mint, a transfer to it a burn. */
export interface TransferLog extends LogPosition {
  type: 'transfer'
  token: Address
  from: Address
  to: Address
  amount: bigint
}

/** A transfer event that does not follow ERC-20: the token's balances cannot be derived. */
interface UnreadableLog extends LogPosition {
  type: 'unreadable'
  token: Address
}

export type TokenLog = TransferLog | UnreadableLog

const eventTopics = {
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
  return tokens.includes(wrappedNative) ? Object.values(eventTopics) : [eventTopics.transfer]
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
  const isTransfer = event === eventTopics.transfer
  const isWrapping =
    token === wrappedNative && (event === eventTopics.deposit || event === eventTopics.withdrawal)
  if (!isTransfer && !isWrapping) return undefined
  const place = { ...parseLogPosition(item), token }
  const parties = indexed.map(addressIn)
  const data = parseHex(item.data)
  const isStandard = indexed.length === (isTransfer ? 2 : 1) && hexSize(data) === 32
  const [from, to = zeroAddress] = event === eventTopics.deposit ? [zeroAddress, parties[0]] : parties
  if (!isStandard || !from || parties.includes(undefined))
    return { log: { type: 'unreadable', ...place }, isWrapping }
  return { log: { type: 'transfer', ...place, from, to, amount: BigInt(data) }, isWrapping }
}

/** The address in a word; undefined if the word is not an address. */
function addressIn(word: Hex): Address | undefined {
  return word.startsWith(`0x${'00'.repeat(12)}`) ? address(`0x${word.slice(26)}`) : undefined
}

/** The number of addresses in one filter, which nodes limit. */
const tokensPerRead = 1_000

const events = [
  'Transfer(address,address,uint256)',
  'Approval(address,address,uint256)',
  'Deposit(address,uint256)',
  'Withdrawal(address,uint256)',
].map(keccakText)

/**
 * Reads the possible changes in a block range, both ends included: `account:token` for each account that a
 * log of these tokens names. Data is not read, so a token that emits false logs only costs reads of its own
 * balances.
 * @param endHash of block `to`, if it is known
 * @throws Outage as `readLogs` does
 */
export async function changedHoldings(
  rpc: Rpc,
  tokens: readonly Address[],
  from: number,
  to: number,
  endHash?: Bytes32,
): Promise<Set<string>> {
  const keys = new Set<string>()
  for (const addresses of chunksOf(tokens, tokensPerRead)) {
    for (const raw of await readLogs(rpc, { addresses, events }, { from, to, endHash })) {
      const log = parseObject(raw)
      const token = parseHex(log.address, 20)
      const [, ...indexed] = parseList(log.topics).map((topic) => parseHash(topic))
      for (const word of indexed.slice(0, 2)) keys.add(`${address(`0x${word.slice(26)}`)}:${token}`)
    }
  }
  return keys
}

/** The tokens and rights of an account that the logs of a block range name, each once. */
export interface OwnerLogs {
  /** The number of logs read. */
  count: number
  /** The contracts whose logs report that it received something, with the first block. */
  tokens: Map<Address, number>
  /** The rights that it granted or revoked, by the last log of each. */
  rights: (LoggedRight & { blockNumber: number })[]
}

/**
 * The transfers of ERC-20 and ERC-721, ERC-6909, ERC-777 and ERC-1155, by the topic that names the recipient.
 */
const transferEventsByTopic = new Map<number, readonly Bytes32[]>([
  [
    2,
    [
      'Transfer(address,address,uint256)',
      'Transfer(address,address,address,uint256,uint256)',
      'Minted(address,address,uint256,bytes,bytes)',
    ].map(keccakText),
  ],
  [
    3,
    [
      'TransferSingle(address,address,address,uint256,uint256)',
      'TransferBatch(address,address,address,uint256[],uint256[])',
      'Sent(address,address,address,uint256,bytes,bytes)',
    ].map(keccakText),
  ],
])

/**
 * Reads the assets that an account received in a block range, and the rights that it granted, for any
 * contract.
 * @throws Outage as `readLogs` does, also if the node refuses the range
 */
export async function ownerLogs(rpc: Rpc, owner: Address, range: LogRange): Promise<OwnerLogs> {
  const raw = await readLogsAtOnce(rpc, filtersOf(owner), range)
  const tokens = new Map<Address, number>()
  const rights = new Map<string, OwnerLogs['rights'][number]>()
  for (const item of raw) {
    const { blockNumber } = parseLogPosition(item)
    const { address, topics: list, data } = parseObject(item)
    const contract = parseHex(address, 20)
    const topics = parseList(list).map((topic) => parseHash(topic))
    if (isTransferTo(owner, topics)) tokens.set(contract, tokens.get(contract) ?? blockNumber)
    const right = parseRight({ contract, topics, data: parseHex(data) }, owner)
    if (right) rights.set(keyOf(right), { ...right, blockNumber })
  }
  return { count: raw.length, tokens, rights: [...rights.values()] }
}

/** The filters: one for each place that can name the account. */
function filtersOf(owner: Address): LogFilter[] {
  return [1, 2, 3].map((topic) => ({
    events: [...(transferEventsByTopic.get(topic) ?? []), ...(rightEvents.get(topic) ?? [])],
    indexed: [...Array.from({ length: topic - 1 }, () => null), addressWord(owner)],
  }))
}

function isTransferTo(owner: Address, [event = '0x' as Bytes32, ...indexed]: readonly Bytes32[]): boolean {
  return indexed.some(
    (topic, index) => topic === addressWord(owner) && transferEventsByTopic.get(index + 1)?.includes(event),
  )
}

const keyOf = ({ kind, contract, grantee, subject }: LoggedRight) => [kind, contract, grantee, subject].join()
