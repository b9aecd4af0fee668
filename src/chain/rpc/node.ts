import { Outage } from '../../domain/errors/error.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { createHealth, type HealthLimits, type HealthState } from '../../outside/health.ts'
import { createRpc, type Rpc, type RpcOptions } from './rpc.ts'

export interface NodeOptions {
  url: string
  /** In the log, as "the node of sepolia": never its address, which can hold a key. */
  name: string
  now: Clock
  log: Log
}

export type ConnectOptions = Pick<RpcOptions, 'timeoutMs' | 'retries' | 'maxBytes' | 'runsStrangersCode'>

/** One node. Its clients share a breaker, and are refused until the service has checked that it is on the right chain. */
export interface NetworkNode {
  connect(options: ConnectOptions): Rpc
  /** For the check itself. */
  unchecked: Rpc
  accept(): void
  state(): HealthState | 'unchecked'
}

const limits: HealthLimits = {
  failures: 5,
  pauseMs: { least: 500, most: 10_000 },
  backOffMs: { least: 150, most: 60_000 },
  atOnce: Number.POSITIVE_INFINITY,
}

export function createNode({ url, name, now, log }: NodeOptions): NetworkNode {
  const health = createHealth({ name, limits, now, log })
  let isAccepted = false
  const checked = <Args extends unknown[], T>(ask: (...args: Args) => Promise<T>) => {
    return async (...args: Args) => {
      if (!isAccepted) throw new Outage('the network node', 'it was not reached since the start')
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
