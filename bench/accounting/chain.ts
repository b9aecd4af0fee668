import {
  accountIn,
  type ChainLog,
  type LoggedTrade,
  parseSettleCall,
  parseTrade,
  type SettleCall,
  topics,
  wordOf,
} from './settle-call.ts'

export interface Contracts {
  settlement: string
  wrappedNative: string
}

/** A settlement on chain. */
export interface ChainSettlement {
  block: number
  caller: string
  sender: string
  call: SettleCall | undefined
  trades: LoggedTrade[]
  gasUsed: bigint
  gasPrice: bigint
  /** The contract's net receipts, by token. */
  flows: { token: string; amount: bigint }[]
}

export interface UsedGas {
  gasUsed: bigint
  gasPrice: bigint
}

export interface RevertedCall extends UsedGas {
  sender: string
  auctionId: bigint
}

export interface Cancellation extends UsedGas {
  sender: string
  block: number
}

// biome-ignore lint/suspicious/noExplicitAny: results of every shape
export type Ask = (method: string, params: unknown[]) => Promise<any>

export function askNode(url: string): Ask {
  return async (method, params) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const headers = { 'content-type': 'application/json' }
    const { result, error } = await (await fetch(url, { method: 'POST', headers, body })).json()
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
}

const hex = (value: number) => `0x${value.toString(16)}`

export async function readSettlements(
  ask: Ask,
  contracts: Contracts,
  from: number,
  to: number,
): Promise<ChainSettlement[]> {
  const filter = {
    address: contracts.settlement,
    topics: [topics.settlement],
    fromBlock: hex(from),
    toBlock: hex(to),
  }
  const logs: { transactionHash: string }[] = await ask('eth_getLogs', [filter])
  const hashes = [...new Set(logs.map(({ transactionHash }) => transactionHash))]
  const settlements: ChainSettlement[] = []
  for (const hash of hashes) settlements.push(...(await settlementsIn(ask, contracts, hash)))
  return settlements
}

async function settlementsIn(ask: Ask, contracts: Contracts, hash: string): Promise<ChainSettlement[]> {
  const transaction = await ask('eth_getTransactionByHash', [hash])
  const receipt = await ask('eth_getTransactionReceipt', [hash])
  const { settlement } = contracts
  const inputs: string[] =
    transaction.to === settlement ? [transaction.input] : await tracedInputs(ask, settlement, hash)
  const logs: ChainLog[] = receipt.logs
  const ends = logs.filter((log) => log.address === settlement && log.topics[0] === topics.settlement)
  return ends.map((end, index) => {
    const before = index === 0 ? -1 : Number(ends[index - 1]?.logIndex)
    const last = index === ends.length - 1 ? Number.POSITIVE_INFINITY : Number(end.logIndex)
    const own = logs.filter(({ logIndex }) => Number(logIndex) > before && Number(logIndex) <= last)
    return {
      block: Number(receipt.blockNumber),
      caller: accountIn(end.topics[1]),
      sender: transaction.from,
      call: inputs.length === ends.length ? parseSettleCall(inputs[index] ?? '') : undefined,
      trades: tradesIn(own, settlement),
      gasUsed: index === 0 ? BigInt(receipt.gasUsed) : 0n,
      gasPrice: BigInt(receipt.effectiveGasPrice),
      flows: flowsIn(own, contracts),
    }
  })
}

/** Returns the inputs of calls of the settlement contract that did not revert. */
async function tracedInputs(ask: Ask, settlement: string, hash: string): Promise<string[]> {
  interface Frame {
    error?: string
    type: string
    to?: string
    input: string
    calls?: Frame[]
  }
  const walk = ({ error, type, to, input, calls = [] }: Frame): string[] =>
    error
      ? []
      : [
          ...(type === 'CALL' && to === settlement && input.startsWith('0x13d79a0b') ? [input] : []),
          ...calls.flatMap(walk),
        ]
  return walk(await ask('debug_traceTransaction', [hash, { tracer: 'callTracer' }]))
}

function tradesIn(logs: readonly ChainLog[], settlement: string): LoggedTrade[] {
  return logs
    .filter(({ address, topics: [event] }) => address === settlement && event === topics.trade)
    .map(parseTrade)
}

const native = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'
const nobody = `0x${'00'.repeat(20)}`

/** Sums flows by token. The native coin and its wrapped form are one: unwrapping changes nothing. */
function flowsIn(logs: readonly ChainLog[], { settlement, wrappedNative }: Contracts) {
  return logs.flatMap(({ address, topics: [event, first, second, third], data }) => {
    const at = (amount: bigint, token = wrappedNative) => [{ token, amount }]
    if (event === topics.transfer && third === undefined && second !== undefined) {
      const [from, to] = [accountIn(first), accountIn(second)]
      if (from === to || (address === wrappedNative && from === settlement && to === nobody)) return []
      return from === settlement
        ? at(-BigInt(data), address)
        : to === settlement
          ? at(BigInt(data), address)
          : []
    }
    if (address === wrappedNative && event === topics.deposit)
      return accountIn(first) === settlement ? at(BigInt(data)) : []
    if (address !== settlement) return []
    // Coins that the contract sends to itself stay.
    if (event === topics.interaction && wordOf(data) > 0n)
      return accountIn(first) === settlement ? [] : at(-wordOf(data))
    if (event !== topics.trade) return []
    const { buyToken, buy } = parseTrade({ address, topics: [], data, logIndex: '' })
    return buyToken === native ? at(-buy) : []
  })
}

/**
 * Reads these accounts' transactions that settled nothing: reverted settlements, and transfers to themselves
 * that ended one.
 */
export async function readLost(
  ask: Ask,
  { settlement }: Contracts,
  senders: ReadonlySet<string>,
  from: number,
  to: number,
): Promise<{ reverted: RevertedCall[]; cancellations: Cancellation[] }> {
  const reverted: RevertedCall[] = []
  const cancellations: Cancellation[] = []
  for (let number = from; number <= to; number++) {
    const { transactions } = await ask('eth_getBlockByNumber', [hex(number), true])
    for (const { hash, from: sender, to: target, input } of transactions) {
      const isCancellation = target === sender && input === '0x'
      if (!senders.has(sender) || (target !== settlement && !isCancellation)) continue
      const { status, gasUsed, effectiveGasPrice } = await ask('eth_getTransactionReceipt', [hash])
      const gas = { gasUsed: BigInt(gasUsed), gasPrice: BigInt(effectiveGasPrice) }
      if (isCancellation) cancellations.push({ sender, block: number, ...gas })
      const call = parseSettleCall(input)
      if (status !== '0x0' || !call) continue
      reverted.push({ sender, auctionId: call.auctionId, ...gas })
    }
  }
  return { reverted, cancellations }
}
