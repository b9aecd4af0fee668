import { expect, it } from 'vitest'
import { priceOracles, programmaticContracts } from '../../../src/dev/chain/programmatic-contracts.ts'
import { isMarketCurrent } from '../../../src/dev/market/build.ts'
import { onChain } from '../../chain/conditional-stage.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const chain = onChain(1_800_000_000)

it('a market is current while each of its contracts is that of the program', async () => {
  const { rpcUrl, market } = chain()
  const { wrappedNative, hooksTrampoline, ethFlows, poolFactory, balanceGuard } = market.network
  const contracts = [
    wrappedNative,
    hooksTrampoline,
    ...ethFlows,
    poolFactory,
    balanceGuard,
    ...Object.values(programmaticContracts),
    ...Object.values(priceOracles),
  ]
  expect(contracts).toHaveLength(17)
  expect(await isMarketCurrent(rpcUrl, silentLog)).toBe(true)
  for (const at of contracts) {
    const code = await chain().rpc.call('eth_getCode', [at, 'latest'])
    await chain().rpc.call('anvil_setCode', [at, '0x00'])
    expect(await isMarketCurrent(rpcUrl, silentLog), at).toBe(false)
    await chain().rpc.call('anvil_setCode', [at, code])
  }
  expect(await isMarketCurrent(rpcUrl, silentLog)).toBe(true)
})
