import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createChain } from '../../src/chain/chain.ts'
import { createRpc, RpcError } from '../../src/chain/rpc/rpc.ts'
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { Outage } from '../../src/domain/errors/error.ts'
import { address } from '../../src/domain/evm/address.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createNetwork, type Evm, startEvm } from '../setup/evm.ts'

let evm: Evm
beforeAll(async () => {
  evm = await startEvm()
})
afterAll(() => evm[Symbol.asyncDispose]())

const relayer = address(`0x${'7e'.repeat(20)}`)
const unused = address(`0x${'0b'.repeat(20)}`)
const network = createNetwork({ vaultRelayer: relayer })
const chainOf = () => createChain({ rpc: evm.rpc, network })
const tokenTypes = ['string', 'string', 'uint8']

test('reports the chain’s identity, head and blocks', async () => {
  const chain = chainOf()
  await evm.mine(2)
  const head = await chain.head()
  const parent = await chain.block(head.number - 1)
  expect(head.number).toBeGreaterThan(1)
  expect(head.parentHash).toBe(parent?.hash)
  expect(head.timestamp).toBeGreaterThan(1_600_000_000)
  expect(await chain.block(head.number + 1)).toBeUndefined()
  expect(await chain.identity()).toEqual({ chainId: 31337, genesisHash: (await chain.block(0))?.hash })
})

test('the gas price covers the next block’s base fee and the priority fee', async () => {
  const block = await evm.rpc.call<{ baseFeePerGas: string }>('eth_getBlockByNumber', ['latest', false])
  const priority = await evm.rpc.call<string>('eth_maxPriorityFeePerGas')
  expect(await chainOf().gasPrice()).toBe(BigInt(block.baseFeePerGas) + BigInt(priority))
})

describe('tokens', () => {
  test('nothing can be spent of a token that has no code or reverts', async () => {
    const token = await evm.deploy(testToken, tokenTypes, ['A', 'A', 18])
    await token.write('mint', [evm.account, 2n ** 200n])
    await token.write('approve', [relayer, 5n])
    const reverting = address(`0x${'4e'.repeat(20)}`)
    await evm.rpc.call('anvil_setCode', [reverting, '0x60006000fd'])
    const invalid = address(`0x${'4f'.repeat(20)}`)
    await evm.rpc.call('anvil_setCode', [invalid, '0xfe'])
    const owner = address(evm.account)
    const tokens = [token.address, unused, reverting, invalid]
    expect(await chainOf().spendable(tokens.map((token) => ({ owner, token })))).toEqual([
      { balance: 2n ** 200n, allowance: 5n },
      { balance: 0n, allowance: 0n },
      { balance: 0n, allowance: 0n },
      { balance: 0n, allowance: 0n },
    ])
  })
})

test('reports whether an address has code', async () => {
  expect(await chainOf().code(unused)).toBe('0x')
})

describe('a node that is away, refuses or sends invalid data', () => {
  test('is an outage and never an empty answer', async () => {
    const rpc = createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })
    const chain = createChain({ rpc, network })
    await expect(chain.block(1)).rejects.toThrow(Outage)
    await expect(chain.spendable([{ owner: unused, token: unused }])).rejects.toThrow(Outage)
  })

  test.each([
    ['a refused read', { error: new RpcError('header not found', -32000) }],
    ['no hex', { value: 17 }],
  ])('%s is an outage', async (_, answer) => {
    const rpc = { call: async () => null, batch: async () => [answer, answer] }
    const chain = createChain({ rpc: rpc as typeof evm.rpc, network })
    await expect(chain.spendable([{ owner: unused, token: unused }])).rejects.toThrow(Outage)
    await expect(chain.head()).rejects.toThrow(Outage)
    expect(await chain.block(9)).toBeUndefined()
  })
})
