import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createBundleSimulation } from '../../src/chain/bundle/bundle.ts'
import { createRpc, type Rpc, RpcError, type RpcResponse } from '../../src/chain/rpc/rpc.ts'
import { Refusal } from '../../src/domain/errors/error.ts'
import { encodeTuple, word } from '../../src/domain/evm/abi.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { BundleTransaction } from '../../src/domain/evm/simulation.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { type Evm, startEvm } from '../setup/evm.ts'
import { deployToken } from './contracts.ts'

let evm: Evm
let token: Awaited<ReturnType<typeof deployToken>>
const friend = address('0x00000000000000000000000000000000000000f1')
beforeAll(async () => {
  evm = await startEvm()
  token = await deployToken(evm)
  await token.write('mint', [evm.account, 1_000n])
})
afterAll(() => evm?.[Symbol.asyncDispose]())

const transaction = (to: Address, input: Hex = '0x', gas: number | null = null): BundleTransaction => ({
  from: address(evm.account),
  to,
  input,
  value: 0n,
  gas,
})
const transfer = (amount: bigint) =>
  transaction(token.address, `0xa9059cbb${encodeTuple([word(friend), word(amount)])}`)

let placed = 0
async function code(bytes: string): Promise<Address> {
  const at = address(`0x${(0xc0de00 + placed++).toString(16).padStart(40, '0')}`)
  await evm.rpc.call('anvil_setCode', [at, `0x${bytes}`])
  return at
}

/** A node without some methods. */
function without(rpc: Rpc, methods: readonly string[]): Rpc {
  const missing = new RpcError('Method not found', -32601)
  return {
    call: (method, params) => (methods.includes(method) ? Promise.reject(missing) : rpc.call(method, params)),
    async batch(calls) {
      const answers = await rpc.batch(calls.filter(({ method }) => !methods.includes(method)))
      return calls.map(
        ({ method }): RpcResponse =>
          methods.includes(method) ? { error: missing } : (answers.shift() ?? { error: missing }),
      )
    },
  }
}
const simulate = (transactions: BundleTransaction[], rpc: Rpc = evm.rpc) =>
  createBundleSimulation({ rpc })(transactions, 'client')

describe('what a node offers', () => {
  const bundle = async () => [transfer(3n), transaction(await code('60006000fd')), transfer(4n)]

  test('by traces alone it is what the method says', async () => {
    const transactions = await bundle()
    const byMethod = await simulate(transactions)
    expect(byMethod.transactions.map(({ succeeds }) => succeeds)).toEqual([true, false, true])
    expect(byMethod.transactions[2]?.balances).toEqual([
      { account: evm.account, token: token.address, change: -7n },
      { account: friend, token: token.address, change: 7n },
    ])
    expect(byMethod.transactions[2]?.storage).toHaveLength(2)
    expect(await simulate(transactions, without(evm.rpc, ['eth_simulateV1']))).toEqual(byMethod)
  })

  test('without traces the storage is not known', async () => {
    const transactions = await bundle()
    const { transactions: results } = await simulate(transactions, without(evm.rpc, ['debug_traceCall']))
    expect(results.map(({ storage }) => storage)).toEqual([null, null, null])
    expect(results.map(({ balances }) => balances.length)).toEqual([2, 2, 2])
  })

  test('without either it is refused', async () => {
    const neither = without(evm.rpc, ['eth_simulateV1', 'debug_traceCall'])
    await expect(simulate([transfer(1n)], neither)).rejects.toMatchObject({ code: 'FeatureDisabled' })
  })

  test('a transaction that the node refuses as a whole is refused where it does not trace', async () => {
    const poor = { ...transfer(1n), from: friend, value: 1n }
    await expect(simulate([poor], without(evm.rpc, ['debug_traceCall']))).rejects.toMatchObject({
      code: 'InvalidParameter',
    })
  })
})

describe('harm within the limits', () => {
  test('an endless loop uses its gas, and the next transaction is run', async () => {
    const loop = await code('5b600056')
    const { transactions } = await simulate([transaction(loop), transfer(1n)])
    const [first, second] = transactions
    // Half of what a bundle may use.
    expect([first?.succeeds, first?.gasUsed]).toEqual([false, 15_000_000])
    expect(first?.error).toMatch(/out of ?gas/i)
    expect(second?.succeeds).toBe(true)
  })

  test('ten thousand logs are cut off, and told to be', async () => {
    // LOG0 in a loop that counts down.
    const noisy = await code('6127105b60006000a0600190038060035700')
    const [result] = (await simulate([transaction(noisy)])).transactions
    expect(result?.succeeds).toBe(true)
    expect([result?.logs.length, result?.hasAllLogs]).toEqual([500, false])
  })

  test('a log of a megabyte is left out', async () => {
    const long = await code('621000006000a000')
    const [result] = (await simulate([transaction(long, '0x', 16_000_000)])).transactions
    expect([result?.succeeds, result?.logs, result?.hasAllLogs]).toEqual([true, [], false])
  })

  test('megabytes that are returned are read up to a limit', async () => {
    const huge = await code('622000006000f3')
    const rpc = createRpc({ url: evm.url, log: silentLog, retries: 0, maxBytes: 1_000_000 })
    const refusal = await simulate([transaction(huge, '0x', 16_000_000)], rpc).catch((fault) => fault)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({ code: 'QueryTooComplex', field: 'transactions' })
    const [read] = (await simulate([transaction(huge, '0x', 16_000_000)])).transactions
    expect(read?.succeeds).toBe(true)
  })

  test('a message of a megabyte is one short line', async () => {
    const [result] = (await simulate([transaction(await code('621000006000fd'), '0x', 16_000_000)]))
      .transactions
    expect(result?.succeeds).toBe(false)
    expect(result?.error?.length).toBeLessThan(201)
  })

  test('logs that name a thousand accounts cause a bounded number of reads', async () => {
    // Without input a thousand logs of Transfer, from and to the counter; else a balance of 1.
    const topic = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'
    const logging = `6103e85b80807f${topic}60206000a3600190038060075700`
    const made = await code(`36603957${logging}5b600160005260206000f3`)
    const [result] = (await simulate([transaction(made)])).transactions
    expect(result).toMatchObject({ succeeds: true, hasAllBalances: false, balances: [] })
  })

  test('what takes too long is refused, while the node answers', async () => {
    const slow: Rpc = {
      call: async (method, params) =>
        method === 'eth_simulateV1'
          ? Promise.reject(new RpcError('execution aborted (timeout = 5s)', -32000))
          : evm.rpc.call(method, params),
      batch: (calls) => evm.rpc.batch(calls),
    }
    await expect(simulate([transfer(1n)], slow)).rejects.toMatchObject({
      code: 'QueryTooComplex',
      message: expect.stringContaining('do not end in time'),
    })
  })

  test('one client has one bundle at a time, and a bounded number of waiting ones', async () => {
    const run = createBundleSimulation({ rpc: evm.rpc })
    const asked = Array.from({ length: 12 }, () => run([transfer(1n)], 'busy').catch((fault) => fault.name))
    const other = await run([transfer(1n)], 'other')
    expect(other.transactions[0]?.succeeds).toBe(true)
    const answers = await Promise.all(asked)
    expect(answers.filter((answer) => answer === 'Outage')).toHaveLength(7)
  })
})
