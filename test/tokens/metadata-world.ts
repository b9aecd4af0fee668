import { createChain } from '../../src/chain/chain.ts'
import { type Rpc, type RpcCall, RpcError, type RpcResponse } from '../../src/chain/rpc/rpc.ts'
import { type ReadToken, readTokenMetadata } from '../../src/chain/token/metadata.ts'
import { batch } from '../../src/concurrency/batch.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { applyBlocks, applyReorg } from '../../src/indexer/apply.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { createTokenReader } from '../../src/tokens/metadata.ts'
import { countRequests } from '../chain/counted-rpc.ts'
import { type Reported, speakingCode } from '../chain/speaking-code.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { rangeWith } from '../indexer/hand-made.ts'
import { createTestDatabase } from '../setup/database.ts'
import { startEvm } from '../setup/evm.ts'
import { network } from '../setup/server.ts'

const { chainId } = network

interface ReaderOptions {
  timeoutMs?: number
  storeAgainMs?: number[]
  /** Awaited between the node's answer and everything that follows from it. */
  beforeStoring?: () => Promise<void>
}

/** A real EVM whose node can be down, hang or refuse; an indexer run by hand; and a database. */
export async function openMetadataWorld() {
  const [evm, database] = await Promise.all([startEvm(), createTestDatabase()])
  const { db, statements } = database
  const chain = createChain({ rpc: evm.rpc, network })
  const indexing = { chainId, db, now: Date.now }
  const node = {
    isAway: false,
    held: undefined as Promise<void> | undefined,
    /** A call that names this address gets no answer. */
    stumblesOver: undefined as Address | undefined,
  }
  const world = { time: 1_800_000_000_000, checkpoint: null as Checkpoint | null }
  let last = 0x1000

  const isRefused = (call: RpcCall | undefined) =>
    node.stumblesOver !== undefined && JSON.stringify(call).includes(node.stumblesOver.slice(2))
  const rpc: Rpc = {
    ...evm.rpc,
    async batch(calls): Promise<RpcResponse[]> {
      await node.held
      if (node.isAway) throw new Outage('the network node')
      const answers = await evm.rpc.batch(calls)
      const stopped = { error: new RpcError('execution aborted (timeout = 5s)', -32000) }
      return answers.map((answer, index) => (isRefused(calls[index]) ? stopped : answer))
    },
  }

  async function put(reported: Reported, at?: Address): Promise<Address> {
    const token = at ?? address(`0x${(++last).toString(16).padStart(40, '0')}`)
    await evm.rpc.call('anvil_setCode', [token, speakingCode(reported)])
    return token
  }

  function openReader({ timeoutMs, storeAgainMs = [], beforeStoring }: ReaderOptions = {}) {
    const warnings: unknown[] = []
    const counted = countRequests(rpc)
    let asked = 0
    const ask = batch<Address, ReadToken>((addresses) => readTokenMetadata(counted.rpc, chainId, addresses), {
      maxBatch: 128,
      concurrency: 2,
    })
    const reader = createTokenReader({
      network,
      async ask(token) {
        asked++
        const answer = await ask(token)
        await beforeStoring?.()
        return answer
      },
      db,
      log: { ...silentLog, warn: (message, fields) => void warnings.push([message, fields]) },
      now: () => world.time,
      timeoutMs,
      storeAgainMs,
    })
    /** RPC requests and SQL verbs of one read. */
    async function cost(addresses: readonly Address[]) {
      const { requests } = counted
      const { length } = statements
      const found = await reader.tokens(addresses)
      const verbs = statements.slice(length).map((sql) => sql.trim().split(' ', 1)[0])
      return { found, requests: counted.requests - requests, verbs: verbs.filter(isWork) }
    }
    return { ...reader, cost, warnings, counted, asked: () => asked }
  }

  /** The indexer reaches the newest block. */
  async function index(): Promise<Checkpoint> {
    const head = await chain.head()
    world.checkpoint = await applyBlocks(world.checkpoint, rangeWith([], head), indexing)
    return head
  }

  return {
    evm,
    database,
    node,
    world,
    put,
    openReader,
    index,
    async reorg(to: Checkpoint) {
      world.checkpoint = await applyReorg(world.checkpoint, to, indexing)
    },
    async [Symbol.asyncDispose]() {
      await database[Symbol.asyncDispose]()
      await evm[Symbol.asyncDispose]()
    },
  }
}

export type MetadataWorld = Awaited<ReturnType<typeof openMetadataWorld>>

const isWork = (verb: string | undefined) => verb !== 'BEGIN' && verb !== 'COMMIT'
