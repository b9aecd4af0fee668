import { mkdirSync } from 'node:fs'
import { createLog } from '../../src/app/observing/log.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { endAnvil, findAnvil, launchAnvil } from '../../src/dev/chain/anvil.ts'
import { buildMarket } from '../../src/dev/market/build.ts'
import { describeMarket, type Market } from '../../src/dev/market/market.ts'
import { isRunning } from '../../src/dev/process/process.ts'

export interface BenchChain {
  rpcUrl: string
  market: Market
  stop(): Promise<void>
}

/** Starts a chain with the local market and the additions of `prepare`, then mines a block every second. */
export async function startBenchChain(
  home: string,
  prepare: (rpc: Rpc, market: Market) => Promise<void>,
): Promise<BenchChain> {
  const log = createLog('warn')
  mkdirSync(home, { recursive: true })
  const genesisTime = Math.floor(Date.now() / 1000)
  const anvil = await launchAnvil(findAnvil(process.env.ANVIL), {
    home,
    port: 0,
    genesisTime,
    log,
    // A bench that is signalled before the chain answers has nothing to stop yet.
    onSpawn: (spawned) => process.once('exit', () => isRunning(spawned) && process.kill(spawned.pid)),
  })
  const market = describeMarket()
  try {
    await buildMarket(anvil.rpcUrl, log)
    await prepare(anvil.rpc, market)
    await anvil.rpc.call('evm_setIntervalMining', [1])
  } catch (error) {
    await endAnvil(anvil)
    throw error
  }
  return { rpcUrl: anvil.rpcUrl, market, stop: () => endAnvil(anvil) }
}
