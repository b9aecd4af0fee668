import { mkdirSync } from 'node:fs'
import { createChain } from '../../src/chain/chain.ts'
import type { Rpc } from '../../src/chain/rpc.ts'
import { endAnvil, findAnvil, launchAnvil } from '../../src/dev/anvil.ts'
import { describeMarket, type Market } from '../../src/dev/market.ts'
import { buildMarket } from '../../src/dev/market-build.ts'
import type { Address } from '../../src/domain/address.ts'
import { createLog } from '../../src/log.ts'

export interface BenchChain {
  rpcUrl: string
  market: Market
  stop(): Promise<void>
}

const held = 10n ** 24n
const atOnce = 100

/** A chain of its own with the local market and a block every second, on which all traders hold and have approved DAI. */
export async function startBenchChain(home: string, traders: readonly Address[]): Promise<BenchChain> {
  const log = createLog('warn')
  mkdirSync(home, { recursive: true })
  const genesisTime = Math.floor(Date.now() / 1000)
  const anvil = await launchAnvil(findAnvil(process.env.ANVIL), {
    home,
    port: 0,
    genesisTime,
    log,
    onSpawn: () => {},
  })
  try {
    await buildMarket(anvil.rpcUrl, log)
    await fund(anvil.rpc, traders)
    await anvil.rpc.call('evm_setIntervalMining', [1])
  } catch (error) {
    await endAnvil(anvil)
    throw error
  }
  return { rpcUrl: anvil.rpcUrl, market: describeMarket(), stop: () => endAnvil(anvil) }
}

async function fund(rpc: Rpc, traders: readonly Address[]): Promise<void> {
  const { network, tokens } = describeMarket()
  const token = tokens.DAI.address
  const amount = `0x${held.toString(16)}`
  const chain = createChain({ rpc, network })
  for (let start = 0; start < traders.length; start += atOnce) {
    const some = traders.slice(start, start + atOnce)
    await rpc.batch(
      some.flatMap((owner) => [
        { method: 'anvil_dealERC20', params: [owner, token, amount] },
        { method: 'anvil_setERC20Allowance', params: [owner, network.vaultRelayer, token, amount] },
      ]),
    )
    await rpc.call('evm_mine')
    const funds = await chain.spendable(some.map((owner) => ({ owner, token })))
    if (funds.some(({ balance, allowance }) => balance < held || allowance < held))
      throw new Error('a trader of the bench was not funded')
  }
}
