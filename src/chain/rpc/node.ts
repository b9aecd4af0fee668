import { Outage } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { createHealth, type HealthLimits, type HealthState } from '../../outside/health.ts'
import { createRpc, type Rpc, RpcError, type RpcOptions } from './rpc.ts'

export interface NodeOptions {
  url: string
  /** The name for the log, such as "the node of sepolia". It is never the URL, which can contain a key. */
  name: string
  now: Clock
  log: Log
}

export type ConnectOptions = Pick<RpcOptions, 'timeoutMs' | 'retries' | 'maxBytes' | 'runsStrangersCode'>

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
const probeMs = 2_000
const limits: HealthLimits = {
  failures: 5,
  pauseMs: { least: 500, most: 2_000 },
  backOffMs: { least: 150, most: 60_000 },
  atOnce: Number.POSITIVE_INFINITY,
}

export function createNode({ url, name, now, log }: NodeOptions): NetworkNode {
  const health = createHealth({ name, limits, now, log })
  const probe = createRpc({ url, log, now, health, name, timeoutMs: probeMs, retries: 0 })
  let isAccepted = false

  /** Tries a paused node with a short request. A long one would block all others until its time limit. */
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
