import type { SettlementLog } from '../../src/chain/logs/settlement-logs.ts'
import { type Rpc, type RpcCall, RpcError, type RpcResponse } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { settlementAbi } from '../../src/chain/settlement/call.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import { settlement } from '../fakes/order.ts'
import { createRandom } from '../setup/random.ts'
import { type SketchedBlock, sampleGas, sampleSender } from './hand-made.ts'

const eventOf = {
  trade: 'Trade',
  settlement: 'Settlement',
  invalidation: 'OrderInvalidated',
  presignature: 'PreSignature',
}

function toRaw(log: SettlementLog): Record<string, unknown> {
  const { blockHash, txHash: transactionHash, blockNumber, logIndex } = log
  const fields = {
    signed: false,
    sellToken: '',
    buyToken: '',
    sellAmount: 0n,
    buyAmount: 0n,
    feeAmount: 0n,
    ...log,
  }
  const values =
    settlementAbi
      .getEvent(eventOf[log.type])
      ?.inputs.map(({ name }) => (fields as Record<string, unknown>)[name]) ?? []
  const place = {
    blockHash,
    transactionHash,
    blockNumber: toQuantity(blockNumber),
    logIndex: toQuantity(logIndex),
  }
  return { address: settlement, ...place, ...settlementAbi.encodeEventLog(eventOf[log.type], values) }
}

/**
 * Several nodes behind one URL, whose chain is set by `show`. In a fault they are away, refuse, repeat and
 * shuffle logs, forget transactions and blocks, or answer as of an earlier chain.
 */
export function createHostileNode(calldata: ReadonlyMap<Bytes32, Hex>, seed: number) {
  const { next: random } = createRandom(seed)
  const chains: (readonly SketchedBlock[])[] = []
  const faults = new Map<string, number>()
  let isHostile = true

  /** Whether this fault happens now. */
  function happens(fault: string, share: number): boolean {
    if (!isHostile || random() >= share) return false
    faults.set(fault, (faults.get(fault) ?? 0) + 1)
    return true
  }

  /** The chain that the answering node knows. */
  function known(): readonly SketchedBlock[] {
    const newest = chains.at(-1) ?? []
    if (happens('delay', 0.05)) return newest.slice(0, Math.ceil(random() * newest.length))
    return happens('old branch', 0.2) ? (chains[Math.floor(random() * chains.length)] ?? newest) : newest
  }

  function logsIn(chain: readonly SketchedBlock[], from: number, to: number): RpcResponse {
    if (to > from && happens('refusal', 0.3)) return { error: new RpcError('too many results', -32005) }
    const logs = chain
      .slice(Math.max(0, from - 1), to)
      .flatMap((item) => (item.logs as SettlementLog[]).map(toRaw))
    if (happens('repetition', 0.3)) logs.push(...logs.filter(() => random() < 0.5), ...logs.slice(-1))
    if (happens('shuffling', 0.3)) logs.sort(() => random() - 0.5)
    return { value: logs }
  }

  function blockAt(chain: readonly SketchedBlock[], tag: string): RpcResponse {
    const { block } = (tag === 'latest' ? chain.at(-1) : chain[Number(tag) - 1]) ?? {}
    if (!block || (tag !== 'latest' && happens('forgotten block', 0.03))) return { value: null }
    return { value: { ...block, number: toQuantity(block.number), timestamp: toQuantity(block.timestamp) } }
  }

  function answer(chain: readonly SketchedBlock[], { method, params = [] }: RpcCall): RpcResponse {
    const [first] = params as [never]
    if (method === 'eth_getBlockByNumber') return blockAt(chain, first)
    if (method === 'eth_getTransactionByHash') {
      if (happens('forgotten transaction', 0.1)) return { value: null }
      const sent = { from: sampleSender, to: settlement, blockNumber: '0x1', blockHash: first }
      return { value: { hash: first, input: calldata.get(first) ?? '0x', ...sent } }
    }
    if (method === 'eth_getTransactionReceipt') {
      const logs = chain.flatMap((item) => item.logs).filter(({ txHash }) => txHash === first)
      const [log] = logs
      if (!log || happens('forgotten receipt', 0.05)) return { value: null }
      const gas = Object.entries(sampleGas).map(([name, value]) => [name, toQuantity(value)])
      const { txHash: transactionHash, blockHash } = log
      const rawLogs = (logs as SettlementLog[]).map(toRaw)
      return { value: { transactionHash, blockHash, logs: rawLogs, ...Object.fromEntries(gas) } }
    }
    const { fromBlock, toBlock } = first as { fromBlock: string; toBlock: string }
    return logsIn(chain, Number(fromBlock), Number(toBlock))
  }

  const rpc: Rpc = {
    async call<T>(method: string, params?: readonly unknown[]) {
      const [response] = await rpc.batch([{ method, ...(params && { params }) }])
      if (!response || 'error' in response) throw response?.error
      return response.value as T
    },
    async batch(calls) {
      if (happens('absence', 0.03)) throw new Outage('the network node')
      const chain = known()
      return calls.map((call) => answer(chain, call))
    },
  }
  return {
    rpc,
    faults,
    show: (chain: readonly SketchedBlock[]) => void chains.push(chain),
    head: () => chains.at(-1)?.at(-1)?.block.hash,
    calmDown() {
      isHostile = false
    },
  }
}
