import type { Block } from '../../src/chain/chain.ts'
import type { ChainLog } from '../../src/chain/logs/chain-logs.ts'
import type { LogPosition } from '../../src/chain/logs/logs.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { ChainReads } from '../../src/indexer/block-range.ts'
import { minedAs, sampleSender } from './hand-made.ts'

export type ChainChange =
  | { op: 'grow'; logs: number[] }
  /** Drops `depth` blocks and mines others, one for each entry of `logs`. */
  | { op: 'fork'; depth: number; logs: number[] }
  | { op: 'away'; calls: number }
  /** Hides the newest blocks for some calls, like a node that lags behind. */
  | { op: 'lag'; blocks: number; calls: number }

interface SimulatedBlock extends Block {
  logs: ChainLog[]
}

const solver = address(`0x${'51'.repeat(20)}`)

/** The transaction of a block. */
const transactionOf = (blockHash: Bytes32): Bytes32 => `0xf0${blockHash.slice(4)}` as Bytes32

const settlementAt = (place: LogPosition): ChainLog => ({ type: 'settlement', ...place, solver })

/**
 * A chain whose history changes between calls as in `script`: one entry for each call, undefined for no
 * change. `logAt` returns the logs of a block.
 */
export function createSimulatedChain(script: (ChainChange | undefined)[] = [], logAt = settlementAt) {
  let hashes = 0
  let away = 0
  let lag = { blocks: 0, calls: 0 }
  const blocks: SimulatedBlock[] = []
  const calls: string[] = []
  /** All blocks that ever existed, by hash. */
  const logsOf = new Map<Bytes32, ChainLog[]>()

  const nextHash = () => `0x${(++hashes).toString(16).padStart(64, '0')}` as Bytes32
  function grow(logCounts: number[]): void {
    for (const count of logCounts) {
      const number = blocks.length
      const hash = nextHash()
      const logs = Array.from({ length: count }, (_, logIndex) =>
        logAt({ blockNumber: number, blockHash: hash, logIndex, txHash: transactionOf(hash) }),
      )
      const parentHash = blocks.at(-1)?.hash ?? (`0x${'00'.repeat(32)}` as Bytes32)
      logsOf.set(hash, logs)
      blocks.push({ number, hash, parentHash, timestamp: number, logs })
    }
  }
  /** The first block stays: a chain is never empty. */
  const drop = (depth: number) => blocks.splice(Math.max(1, blocks.length - depth))
  grow([0])

  function apply(change: ChainChange | undefined): void {
    if (change?.op === 'away') away = change.calls
    if (change?.op === 'lag') lag = change
    if (change?.op === 'fork') drop(change.depth)
    if (change?.op === 'grow' || change?.op === 'fork') grow(change.logs)
  }

  /** The blocks that the node shows on this call. */
  function visible(call: string): SimulatedBlock[] {
    calls.push(call)
    apply(script.shift())
    if (away-- > 0) throw new Outage('the network node')
    return lag.calls-- > 0 ? blocks.slice(0, Math.max(1, blocks.length - lag.blocks)) : blocks
  }

  const chain: ChainReads = {
    async head() {
      const head = visible('head').at(-1)
      if (!head) throw new RangeError('empty chain')
      return head
    },
    block: async (number) => visible(`block ${number}`)[number],
    async logs({ from, to, endHash }) {
      const seen = visible(`logs ${from}-${to}`)
      if (seen.length <= to || (endHash ?? seen[to]?.hash) !== seen[to]?.hash) throw new Outage(`block ${to}`)
      return seen.slice(from, to + 1).flatMap(({ logs }) => logs)
    },
    settlements: async (logged) =>
      new Map(logged.map(({ txHash, blockHash }) => [txHash, minedAs(undefined, sampleSender, blockHash)])),
    gasOf: async (txHashes) => txHashes.map(() => null),
  }
  return {
    chain,
    blocks,
    calls,
    logsOf,
    apply,
    isQuiet: () => script.length === 0 && away <= 0 && lag.calls <= 0,
  }
}
