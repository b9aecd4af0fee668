import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { inject } from 'vitest'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { startChain } from '../../src/dev/chain/chain.ts'
import { describeMarket, type Market } from '../../src/dev/market/market.ts'
import { silentLog } from '../fakes/silent-log.ts'

export interface TestChain extends AsyncDisposable {
  rpcUrl: string
  rpc: Rpc
  market: Market
}

/** A running copy of the local chain with its market; a block every second. */
export async function startTestChain(): Promise<TestChain> {
  const home = mkdtempSync(path.join(tmpdir(), 'tradegraph-chain-'))
  copyFileSync(path.join(inject('chainHome'), 'chain-state.json'), path.join(home, 'chain-state.json'))
  const chain = await startChain({ home, log: silentLog })
  const rpc = createRpc({ url: chain.rpcUrl, log: silentLog })
  // Until then the newest block is that of the copied state, which may be minutes old.
  await rpc.call('evm_mine')
  return {
    rpcUrl: chain.rpcUrl,
    rpc,
    market: describeMarket(),
    async [Symbol.asyncDispose]() {
      await chain.stop()
      rmSync(home, { recursive: true, force: true })
    },
  }
}
