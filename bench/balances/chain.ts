import { Interface } from 'ethers'
import { createLog } from '../../src/app/observing/log.ts'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { startBenchChain } from '../servers/chain.ts'
import { now } from '../streams/clock.ts'
import type { Known } from './worker.ts'

export interface ChangingChain {
  rpcUrl: string
  market: Awaited<ReturnType<typeof startBenchChain>>['market']
  /** The expected balances of all accounts. */
  expected: Record<string, Known>
  /** Mines a block that sends tokens to `changes` random accounts. @returns the block and its time */
  mine(changes: number): Promise<{ block: number; at: number }>
  stop(): Promise<void>
}

const transfers = new Interface(['function transfer(address to, uint256 value)'])
const gas = '0x20000'

/** Starts a chain that mines on request. The accounts begin with nothing. */
export async function startChangingChain(home: string, accounts: readonly string[]): Promise<ChangingChain> {
  const chain = await startBenchChain(home, async () => {})
  const rpc: Rpc = createRpc({ url: chain.rpcUrl, log: createLog('warn') })
  await rpc.call('evm_setIntervalMining', [0])
  await rpc.call('evm_setAutomine', [false])
  const { market } = chain
  const { WETH, USDC, DAI, COW } = market.tokens
  const tokens = [WETH, USDC, DAI, COW].map(({ address }) => address)
  const [sender] = market.accounts
  const expected = Object.fromEntries(
    accounts.map((account) => [
      account,
      Object.fromEntries([...tokens, nativeMarker].map((token) => [token, '0'])),
    ]),
  )

  function transfer(account: string, token: string): object {
    const known = expected[account] ?? {}
    known[token] = String(BigInt(known[token] ?? 0) + 1n)
    const from = { from: sender?.address, gas }
    if (token === nativeMarker) return { ...from, to: account, value: '0x1' }
    return { ...from, to: token, data: transfers.encodeFunctionData('transfer', [account, 1n]) }
  }

  return {
    rpcUrl: chain.rpcUrl,
    market,
    expected,
    async mine(changes) {
      const choices = [...tokens, nativeMarker]
      for (let change = 0; change < changes; change++) {
        const account = accounts[Math.floor(Math.random() * accounts.length)] ?? ''
        const token = choices[Math.floor(Math.random() * choices.length)] ?? ''
        await rpc.call('eth_sendTransaction', [transfer(account, token)])
      }
      await rpc.call('evm_mine', [])
      const at = now()
      return { block: Number(await rpc.call('eth_blockNumber')), at }
    },
    stop: chain.stop,
  }
}
