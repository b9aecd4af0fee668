import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { addressWord } from '../../domain/settlement/rights.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { available, parseHex, parseIndex, parseList, parseObject, parseResponse } from '../rpc/wire.ts'
import { parseSolverLog, type SolverLog, solverEvents } from '../settlement/solvers.ts'
import { bloomHolds } from './bloom.ts'
import { type EthFlowLog, ethFlowEvents, parseEthFlowLog } from './eth-flow-logs.ts'
import {
  byLogPosition,
  type LogFilter,
  type LogRange,
  type NoteOddLog,
  type OddLog,
  readLogs,
} from './logs.ts'
import {
  type ProgrammaticLog,
  parseProgrammaticLog,
  programmaticAddresses,
  programmaticEvents,
} from './programmatic-logs.ts'
import {
  parseSettlementLog,
  type SettlementLog,
  settlementEvents,
  type TradeLog,
  tradeEvent,
} from './settlement-logs.ts'
import { type TokenLog, toTokenLogs, transferEvents } from './transfer-logs.ts'

/** A log of a contract of the protocol. */
export type ProtocolLog = SettlementLog | EthFlowLog
export type ChainLog = ProtocolLog | ProgrammaticLog | SolverLog | TokenLog

interface ChainLogOptions {
  rpc: Rpc
  /** Single nodes, which are asked for logs that `rpc` may have left out. */
  otherRpcs?: readonly Rpc[]
  network: Pick<
    Network,
    'chainId' | 'settlement' | 'ethFlows' | 'conditionalOrders' | 'holderTokens' | 'wrappedNative'
  >
  /** Returns the list of solvers, whose changes are read too; undefined without one. @throws Outage */
  solverList?: () => Promise<Address | undefined>
  log: Log
  /** Counts malformed logs. */
  countOdd?: (what: OddLog) => void
}

/**
 * Reads logs of the protocol's contracts and of the tokens with indexed holders in a block range, by block
 * and log index, in one request. Each contract's logs are parsed by its own rules, because a token can emit a
 * log that resembles a trade. Logs of other events, and logs that these contracts cannot have written, are
 * left out.
 * @throws Outage as `readLogs` does
 */
export async function chainLogs(
  { rpc, otherRpcs = [], network, solverList = async () => undefined, ...odd }: ChainLogOptions,
  { headers = [], ...range }: LogRange,
): Promise<ChainLog[]> {
  const { settlement, ethFlows, conditionalOrders } = network
  const list = await solverList()
  const programmatic = programmaticAddresses(conditionalOrders)
  const tokens = network.holderTokens.map(({ address }) => address)
  const filter = {
    addresses: [settlement, ...(list ? [list] : []), ...ethFlows, ...programmatic, ...tokens],
    events: [
      ...settlementEvents,
      ...(list ? solverEvents : []),
      ...(ethFlows.length > 0 ? ethFlowEvents : []),
      ...(conditionalOrders ? programmaticEvents : []),
      ...transferEvents(tokens, network),
    ],
  }
  const note = noteOdd(odd)
  const found = await readLogs(rpc, filter, range, note)
  const announced = [
    { address: settlement, events: settlementEvents },
    ...(list ? [{ address: list, events: solverEvents }] : []),
    ...ethFlows.map((address) => ({ address, events: ethFlowEvents })),
    ...programmatic.map((address) => ({ address, events: programmaticEvents })),
  ]
  const rawLogs = await withAnnounced(found, headers, announced, [rpc, ...otherRpcs], filter, note)
  const protocolLogs = parsedLogs(
    rawLogs,
    note,
    (item): Parsed<ProtocolLog | ProgrammaticLog | SolverLog> => {
      const contract: Address = parseHex(parseObject(item).address, 20)
      if (contract === settlement) return parseSettlementLog(item)
      if (contract === list) return parseSolverLog(item)
      if (ethFlows.includes(contract)) return parseEthFlowLog(item, network)
      if (conditionalOrders && programmatic.includes(contract))
        return parseProgrammaticLog(item, conditionalOrders)
      return undefined
    },
  )
  return [...protocolLogs, ...toTokenLogs(rawLogs, tokens, network)].sort(byLogPosition)
}

/**
 * Reads the trades of these owners, or of all, in a block range, by block and log index.
 * @throws Outage as `readLogs` does
 */
export async function tradeLogs(
  { rpc, network, ...odd }: ChainLogOptions,
  owners: readonly Address[] | undefined,
  range: LogRange,
): Promise<TradeLog[]> {
  const filter = {
    addresses: [network.settlement],
    events: [tradeEvent],
    ...(owners && { indexed: [owners.map(addressWord)] }),
  }
  const note = noteOdd(odd)
  const rawLogs = await readLogs(rpc, filter, range, note)
  return parsedLogs(rawLogs, note, parseSettlementLog).filter((parsed) => parsed.type === 'trade')
}

/**
 * Reads the settlements and trades of transactions, by block and log index. A transaction that the node does
 * not know, or that is in no block, is missing.
 * @throws Outage
 */
export async function settledLogs(
  { rpc, network, ...odd }: ChainLogOptions,
  txHashes: readonly Bytes32[],
): Promise<Map<Bytes32, SettledLogs>> {
  const calls = txHashes.map((txHash) => ({ method: 'eth_getTransactionReceipt', params: [txHash] }))
  const responses = calls.length > 0 ? await available(rpc.batch(calls)) : []
  const note = noteOdd(odd)
  return new Map(
    responses.flatMap((response, index): [Bytes32, SettledLogs][] => {
      const receipt = parseResponse(response)
      const txHash = txHashes[index]
      if (receipt === null || !txHash) return []
      const { blockNumber, logs } = parseObject(receipt)
      const own = parseList(logs).filter(
        (item) => parseHex(parseObject(item).address, 20) === network.settlement,
      )
      const parsed = parsedLogs(own, note, parseSettlementLog).sort(byLogPosition)
      return [[txHash, { block: parseIndex(blockNumber), logs: parsed }]]
    }),
  )
}

/** The logs of a transaction on the settlement contract. */
export interface SettledLogs {
  block: number
  logs: SettlementLog[]
}

/**
 * Reads the logs of programmatic orders in a block range, by block and log index.
 * @throws Outage as `readLogs` does
 */
export async function programmaticLogs(
  { rpc, network, ...odd }: ChainLogOptions,
  range: LogRange,
): Promise<ProgrammaticLog[]> {
  const { conditionalOrders } = network
  if (!conditionalOrders) return []
  const filter = { addresses: programmaticAddresses(conditionalOrders), events: programmaticEvents }
  const note = noteOdd(odd)
  const rawLogs = await readLogs(rpc, filter, range, note)
  return parsedLogs(rawLogs, note, (item) => parseProgrammaticLog(item, conditionalOrders))
}

interface Announced {
  address: Address
  events: readonly Bytes32[]
}

/**
 * Adds logs that the node left out of its answer: those of blocks whose bloom filter holds a contract and an
 * event of it, without a log of it. Each such block is read once more, at each node, until one has the log. A
 * filter may hold what the block does not have.
 * @throws Outage
 */
async function withAnnounced(
  rawLogs: readonly unknown[],
  headers: NonNullable<LogRange['headers']>,
  announced: readonly Announced[],
  rpcs: readonly Rpc[],
  filter: LogFilter,
  note: NoteOddLog,
): Promise<unknown[]> {
  let all = [...rawLogs]
  for (const { number, hash, logsBloom } of headers) {
    if (logsBloom === undefined) continue
    const inBloom = announced
      .filter(({ address }) => bloomHolds(logsBloom, address))
      .flatMap(({ address, events }) => events.map((event) => ({ address, event })))
      .filter(({ event }) => bloomHolds(logsBloom, event))
    const ofBlock = all.filter((raw) => parseIndex(parseObject(raw).blockNumber) === number)
    const isMissing = (logs: readonly unknown[]) =>
      inBloom.some(({ address, event }) => !logs.some((raw) => isOf(raw, address, event)))
    for (const rpc of rpcs) {
      if (!isMissing(ofBlock)) break
      const again = await readAgain(rpc, filter, { from: number, to: number, endHash: hash })
      if (again.length <= ofBlock.length) continue
      for (const raw of again.slice(ofBlock.length)) note('missed', raw)
      all = [...all.filter((raw) => !ofBlock.includes(raw)), ...again]
      break
    }
  }
  return all
}

function isOf(raw: unknown, contract: Address, event: Bytes32): boolean {
  const { address, topics } = parseObject(raw)
  return parseHex(address, 20) === contract && parseList(topics)[0] === event
}

/** Another node may lack the block: it adds nothing then. */
async function readAgain(rpc: Rpc, filter: LogFilter, range: LogRange): Promise<unknown[]> {
  try {
    return await readLogs(rpc, filter, range)
  } catch (fault) {
    if (fault instanceof Outage || fault instanceof RpcError) return []
    throw fault
  }
}

type Parsed<Item> = Item | 'malformed' | undefined

/** Parses logs, and skips those of other events, and malformed ones with a note. */
function parsedLogs<Item extends object>(
  rawLogs: readonly unknown[],
  note: NoteOddLog,
  parse: (raw: unknown) => Parsed<Item>,
): Item[] {
  return rawLogs.flatMap((raw) => {
    const parsed = parse(raw)
    if (parsed === 'malformed') note('skipped', raw)
    return typeof parsed === 'object' ? [parsed] : []
  })
}

const oddLogs: Record<OddLog, string> = {
  placed: 'a log without an index or a transaction got one',
  skipped: 'skipped a malformed log of the protocol, or one of no block',
  missed: 'the node left a log out, and had it when it was asked again',
}

export function noteOdd({ log, countOdd }: Pick<ChainLogOptions, 'log' | 'countOdd'>): NoteOddLog {
  return (what, raw) => {
    log.warn(oddLogs[what], { log: raw })
    countOdd?.(what)
  }
}
