import { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { createRpc, type Rpc } from '../../../src/chain/rpc/rpc.ts'
import { type DevChainOptions, startChain } from '../../../src/dev/chain/chain.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { eventually } from '../../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../../setup/home.ts'

let home: string
beforeEach(() => {
  home = createTemporaryHome()
})
afterEach(() => removeTemporaryHome(home))

const start = (more: Partial<DevChainOptions> = {}) => startChain({ home, log: silentLog, ...more })
const rpcOf = (url: string): Rpc => createRpc({ url, log: silentLog })

interface Block {
  number: Hex
  hash: Hex
  timestamp: Hex
}
const blockAt = (rpc: Rpc, number: string) => rpc.call<Block>('eth_getBlockByNumber', [number, false])
const heightOf = async (rpc: Rpc) => Number(await rpc.call('eth_blockNumber'))

it('a chain continues after a clean stop, with its genesis, blocks and receipts, and mines at wall-clock time', async () => {
  const first = await start()
  const rpc = rpcOf(first.rpcUrl)
  const [from, to] = await rpc.call<Hex[]>('eth_accounts')
  const hash = await rpc.call('eth_sendTransaction', [{ from, to, value: '0x1' }])
  const receipt = await eventually('receipt', () => rpc.call('eth_getTransactionReceipt', [hash]))
  const genesis = await blockAt(rpc, '0x0')
  const head = await blockAt(rpc, 'latest')
  await first.stop()

  const second = await start()
  const again = rpcOf(second.rpcUrl)
  expect([first.fresh, second.fresh]).toEqual([true, false])
  expect(second.rpcUrl).toBe(first.rpcUrl)
  expect(await blockAt(again, '0x0')).toEqual(genesis)
  expect(await blockAt(again, head.number)).toEqual(head)
  expect(await again.call('eth_getTransactionReceipt', [hash])).toEqual(receipt)
  await eventually('two more blocks', async () => (await heightOf(again)) >= Number(head.number) + 2)
  const age = Date.now() / 1000 - Number((await blockAt(again, 'latest')).timestamp)
  expect(Math.abs(age)).toBeLessThan(3)
  await second.stop()
})

it('falls back to the previous state when the newest cannot be read', async () => {
  const first = await start()
  const genesis = await blockAt(rpcOf(first.rpcUrl), '0x0')
  await first.stop()
  const newest = join(home, 'chain-state.json')

  truncateSync(newest, Math.floor(statSync(newest).size / 2))
  const second = await start()
  expect(await blockAt(rpcOf(second.rpcUrl), '0x0')).toEqual(genesis)
  await second.stop()

  // A file that this process can read and the node cannot.
  writeFileSync(newest, readFileSync(newest, 'utf8').replace(/"0x1f8b../, '"0x00000000'))
  const third = await start()
  expect(await blockAt(rpcOf(third.rpcUrl), '0x0')).toEqual(genesis)
  await third.stop()

  for (const file of ['chain-state.json', 'chain-state.previous.json']) writeFileSync(join(home, file), '')
  await expect(start()).rejects.toThrow('--reset')
})

it('an unfinished chain is built again from the start', async () => {
  const left: string[] = []
  const interrupted = start({
    prepare: async (rpcUrl) => {
      left.push(rpcUrl)
      await rpcOf(rpcUrl).call('anvil_mine', ['0x10'])
      throw new Error('power cut')
    },
  })
  await expect(interrupted).rejects.toThrow('power cut')

  const chain = await start({ prepare: async (rpcUrl) => void left.push(rpcUrl) })
  expect(left.length).toBe(2)
  expect(chain.fresh).toBe(true)
  expect(await heightOf(rpcOf(chain.rpcUrl))).toBeLessThan(16)
  await chain.stop()
})

it('ends the leftover node of an interrupted build instead of adopting it', async () => {
  const chain = await start()
  const record = join(home, 'chain.json')
  writeFileSync(record, readFileSync(record, 'utf8').replace('"ready":true', '"ready":false'))
  const next = await start()
  expect(next.pid).not.toBe(chain.pid)
  expect(next.fresh).toBe(false)
  await Promise.all([chain.stop(), next.stop()])
})

it('reports a missing anvil in one line', async () => {
  await expect(start({ anvil: join(home, 'nothing') })).rejects.toThrow('ANVIL is set to')
})
