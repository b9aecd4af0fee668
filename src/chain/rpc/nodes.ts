import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { createHealth, type HealthLimits, type HealthState } from '../../outside/health.ts'
import { createRpc, isNodeFault, type Rpc, type RpcCall, RpcError, type RpcOptions } from './rpc.ts'
import { parseIndex, parseObject } from './wire.ts'

interface NodeOptions {
  url: string
  /** The name for the log, such as "the node of sepolia". It is never the URL, which can contain a key. */
  name: string
  now: Clock
  log: Log
}

type ConnectOptions = Pick<RpcOptions, 'timeoutMs' | 'retries' | 'maxBytes' | 'runsStrangersCode'>

/**
 * One node. Its clients share a breaker, and are refused until the service has checked that it is on the
 * right chain.
 */
export interface NetworkNode {
  connect(options: ConnectOptions): Rpc
  /** The client for that check. */
  unchecked: Rpc
  accept(): void
  state(): HealthState | 'unchecked'
}

/**
 * The time limit of a probe. A pause and a failed probe together take less than the five seconds in which the
 * service recovers after its node.
 */
const probeTimeoutMs = 2_000
const limits: HealthLimits = {
  failures: 5,
  pauseMs: { min: 500, max: 2_000 },
  backOffMs: { min: 150, max: 60_000 },
  atOnce: Number.POSITIVE_INFINITY,
}

export function createNode({ url, name, now, log }: NodeOptions): NetworkNode {
  const health = createHealth({ name, limits, now, log })
  const probe = createRpc({ url, log, now, health, name, timeoutMs: probeTimeoutMs, retries: 0 })
  let isAccepted = false

  /** Tries a paused node with a short request. A long request would block all others until its time limit. */
  async function tryAgain(): Promise<void> {
    try {
      await probe.call('eth_blockNumber')
    } catch (fault) {
      if (!(fault instanceof RpcError)) throw fault
    }
  }

  const checked = <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      if (!isAccepted) throw new Outage('the network node', 'it was not reached since the start')
      if (health.state() === 'open') await tryAgain()
      return ask(...args)
    }
  }
  return {
    connect(options) {
      const rpc = createRpc({ url, log, now, health, name, ...options })
      return { call: checked(rpc.call) as Rpc['call'], batch: checked(rpc.batch) }
    },
    unchecked: createRpc({ url, log, now, health, name, retries: 0 }),
    accept() {
      isAccepted = true
    },
    state: () => (isAccepted ? health.state() : 'unchecked'),
  }
}

interface NodesOptions {
  /** The URLs in the order of use. */
  urls: readonly string[]
  /** The name of the network for the log. */
  network: string
  blockTimeMs: number
  /** The maximum number of blocks by which a node may lag behind another node and still be used. */
  maxLagBlocks: number
  now: Clock
  log: Log
}

/** The state of one node for operators. */
export interface NodeReport {
  /** Its place in the settings, from 1. */
  node: string
  state: string
  isUsed: boolean
  /** The blocks behind the newest block of all nodes in the last comparison. */
  blocksBehind: number | undefined
}

/**
 * The nodes of one network. All clients use one of them at a time: the first, or after an outage the next one
 * that is not behind the last reported block. Once the first works again, it is used again.
 */
export interface NetworkNodes {
  connect(options: ConnectOptions): Rpc
  /**
   * Connects to each node, to look up data that the node in use does not know; empty if there is only one.
   */
  connectEach(options: ConnectOptions): readonly Rpc[]
  /**
   * Runs `use` on one node.
   * @throws Outage if the node in use changed meanwhile: the reads may contradict each other
   */
  consistent<T>(use: () => Promise<T>): Promise<T>
  list: readonly NetworkNode[]
  reports(): NodeReport[]
  /** Compares the nodes until `signal` aborts, if there are several. */
  watch(signal: AbortSignal): Promise<void>
}

const probeMs = 2_000
/** The number of failed rounds in a row after which the next node is used. */
const badRounds = 2
/** The number of good rounds in a row after which an earlier node is used again. */
const goodRounds = 3
/** The minimum time between a failed search for another node and the next search. */
const searchMs = 250
/** The time without a block as high after which a lower chain is accepted. */
const forgetMs = 600_000

export function createNodes(options: NodesOptions): NetworkNodes {
  const { urls, network, now, log } = options
  const ofNetwork = `of ${network}`
  const list = urls.map((url, index) => {
    const name = urls.length === 1 ? `the node ${ofNetwork}` : `node ${index + 1} ${ofNetwork}`
    return createNode({ url, name, now, log })
  })
  const [only] = list
  if (only && list.length === 1) return single(only)
  return several(list, options)
}

function single(node: NetworkNode): NetworkNodes {
  return {
    connect: node.connect,
    connectEach: () => [],
    consistent: (use) => use(),
    list: [node],
    reports: () => [{ node: '1', state: node.state(), isUsed: true, blocksBehind: undefined }],
    watch: async () => {},
  }
}

function several(list: readonly NetworkNode[], options: NodesOptions): NetworkNodes {
  const { network, blockTimeMs, maxLagBlocks, now, log } = options
  const probes = list.map((node) => node.connect({ timeoutMs: probeMs, retries: 0 }))
  /** The number of good rounds in a row of each node; negative for failed rounds. */
  const streaks = list.map(() => 0)
  let behind: (number | undefined)[] = []
  let used = 0
  let changes = 0
  /** The newest block that clients have seen. */
  let newest = { number: -1, at: Number.NEGATIVE_INFINITY }
  let searching: Promise<boolean> | undefined
  let foundNoneAt = Number.NEGATIVE_INFINITY

  const floor = () => (now() - newest.at < forgetMs ? newest.number : -1)

  function note(head: number): void {
    if (head >= floor()) newest = { number: head, at: now() }
  }

  function use(index: number): void {
    log.warn('another node is used', { network, node: index + 1, before: used + 1 })
    used = index
    changes++
  }

  /** The newest block of a node; undefined if it does not answer. */
  async function headOf(index: number): Promise<number | undefined> {
    try {
      return parseIndex(await probes[index]?.call('eth_blockNumber'))
    } catch {
      return undefined
    }
  }

  /**
   * Searches for another node, once for all failed calls.
   * @returns whether another node than `from` is used
   */
  async function leave(from: number): Promise<boolean> {
    if (used !== from) return true
    if (now() - foundNoneAt < searchMs) return false
    searching ??= search(from).finally(() => {
      searching = undefined
    })
    return searching
  }

  async function search(from: number): Promise<boolean> {
    for (const [index, node] of list.entries()) {
      if (index === from || node.state() !== 'closed') continue
      const head = await headOf(index)
      if (head === undefined || head < floor()) continue
      use(index)
      return true
    }
    foundNoneAt = now()
    return false
  }

  function connect(connection: ConnectOptions): Rpc {
    const clients = list.map((node) =>
      node.connect({ ...connection, retries: Math.min(connection.retries ?? 1, 1) }),
    )
    async function ask<T>(send: (client: Rpc) => Promise<T>): Promise<T> {
      for (let tries = 1; ; tries++) {
        const index = used
        const client = clients[index]
        if (!client) throw new RangeError(`no node ${index}`)
        try {
          return await send(client)
        } catch (fault) {
          const isLast = tries >= list.length || !isNodeFault(fault, connection)
          if (isLast || !(await leave(index))) throw fault
        }
      }
    }
    return {
      async call<T>(method: string, params?: readonly unknown[]) {
        const value = await ask((client) => client.call<T>(method, params))
        if (asksHead({ method, ...(params && { params }) })) noteAnswer(value)
        return value
      },
      async batch(calls) {
        const responses = await ask((client) => client.batch(calls))
        for (const [index, response] of responses.entries()) {
          const call = calls[index]
          if (call && asksHead(call) && 'value' in response) noteAnswer(response.value)
        }
        return responses
      },
    }
  }

  function noteAnswer(value: unknown): void {
    try {
      note(parseIndex(typeof value === 'string' ? value : parseObject(value).number))
    } catch {
      // The caller notices the outage.
    }
  }

  /** Compares all nodes at one moment. */
  async function compare(): Promise<void> {
    const heads = await Promise.all(
      list.map((node, index) => (node.state() === 'unchecked' ? undefined : headOf(index))),
    )
    const best = Math.max(...heads.map((head) => head ?? -1))
    behind = heads.map((head) => (head === undefined ? undefined : best - head))
    for (const [index, blocks] of behind.entries()) {
      const isWell = blocks !== undefined && blocks <= maxLagBlocks
      const streak = streaks[index] ?? 0
      streaks[index] = isWell ? Math.max(0, streak) + 1 : Math.min(0, streak) - 1
    }
    if ((streaks[used] ?? 0) <= -badRounds) await leave(used)
    const first = heads.findIndex(
      (head, index) => index < used && (streaks[index] ?? 0) >= goodRounds && (head ?? -1) >= floor(),
    )
    if (first >= 0) use(first)
  }

  return {
    connect,
    connectEach: (connection) => list.map((node) => node.connect({ ...connection, retries: 0 })),
    async consistent(read) {
      const before = changes
      const result = await read()
      if (changes !== before) throw new Outage('the network node', 'another node is used since')
      return result
    },
    list,
    reports: () =>
      list.map((node, index) => ({
        node: String(index + 1),
        state: node.state(),
        isUsed: index === used,
        blocksBehind: behind[index],
      })),
    async watch(signal) {
      const intervalMs = Math.min(5_000, Math.max(500, blockTimeMs))
      while (!signal.aborted) {
        await compare()
        await pause(intervalMs, undefined, { signal, ref: false }).catch(() => undefined)
      }
    },
  }
}

function asksHead({ method, params = [] }: RpcCall): boolean {
  return method === 'eth_blockNumber' || (method === 'eth_getBlockByNumber' && params[0] === 'latest')
}
