import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TooLarge } from '../../../src/chain/rpc/post.ts'
import { type Rpc, RpcError, type RpcResponse } from '../../../src/chain/rpc/rpc.ts'
import { encodeSettle } from '../../../src/chain/settlement/call.ts'
import {
  type MinedOptions,
  minedGas,
  minedSettlements,
  tracedSettlements,
} from '../../../src/chain/settlement/mined.ts'
import testToken from '../../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { Interaction } from '../../../src/domain/order/order.ts'
import { transferCall } from '../../../src/domain/settlement/calldata.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { createNetwork, deploySettlement, type Evm, startEvm } from '../../setup/evm.ts'

let evm: Evm
let network: Network
let token: Address
let solver: Address
const other = address(`0x${'77'.repeat(20)}`)
const wrapper = address(`0x${'3a'.repeat(20)}`)

beforeAll(async () => {
  evm = await startEvm()
  const { settlement, vaultRelayer } = await deploySettlement(evm)
  network = createNetwork({ settlement: settlement.address, vaultRelayer, firstBlock: 1 })
  const deployed = await evm.deploy(testToken, ['string', 'string', 'uint8'], ['A', 'A', 18])
  token = deployed.address
  await deployed.write('mint', [network.settlement, 1_000n])
  solver = address((await evm.rpc.call<string[]>('eth_accounts'))[0] ?? '')
  await evm.rpc.call('anvil_setCode', [wrapper, forwarding(network.settlement)])
})
afterAll(() => evm[Symbol.asyncDispose]())

/** Code that calls the contract twice with what it was called with. */
function forwarding(to: Address): Hex {
  const call = `600060003660006000${'73'}${to.slice(2)}5af150`
  return `0x366000600037${call}${call}00`
}

const settle = (auctionId: bigint, ...calls: Interaction[]) =>
  encodeSettle({ tokens: [], clearingPrices: [], trades: [], interactions: [[], calls, []], auctionId })

async function send(to: Address, data: Hex): Promise<Bytes32> {
  const { transactionHash } = (await evm.send({ to, data })) as unknown as { transactionHash: Bytes32 }
  return transactionHash
}

async function read(hash: Bytes32, more: Partial<MinedOptions> = {}) {
  const { rpc } = evm
  const solversAmong = async (accounts: readonly Address[]) =>
    new Set(accounts.filter((one) => one === solver))
  const options = { rpc, traceRpc: rpc, network, solversAmong, log: silentLog, ...more }
  const { blockNumber, blockHash } = await rpc.call<Record<string, Hex>>('eth_getTransactionReceipt', [hash])
  const logged = { txHash: hash, blockNumber: Number(blockNumber), blockHash: blockHash as Bytes32 }
  return (await minedSettlements(options, [logged])).get(hash)
}

/** Refuses these methods as a node without them does. */
const without = (...methods: string[]): Rpc => ({
  batch: evm.rpc.batch,
  async call<T>(method: string, params?: readonly unknown[]) {
    if (methods.includes(method)) throw new RpcError('the method does not exist', -32601)
    return evm.rpc.call<T>(method, params)
  },
})

describe('a settlement of the contract itself', () => {
  test('says its auction, its gas, and what it changed of the contract’s tokens', async () => {
    const hash = await send(network.settlement, settle(7n, transferCall(token, other, 30n)))
    const mined = await read(hash)
    const receipt = await evm.rpc.call<Record<string, Hex>>('eth_getTransactionReceipt', [hash])
    expect(mined).toMatchObject({
      ...{ sender: solver, blockHash: receipt.blockHash, calls: [{ auctionId: 7n }] },
      gasUsed: BigInt(receipt.gasUsed ?? ''),
      effectiveGasPrice: BigInt(receipt.effectiveGasPrice ?? ''),
    })
    expect(mined?.changes?.map((changes) => changes.get(token))).toEqual([-30n])
    expect(await minedGas(evm.rpc, [hash, `0x${'99'.repeat(32)}` as const])).toEqual([
      {
        ...{ isReverted: false, gas: mined?.gasUsed, gasPrice: mined?.effectiveGasPrice },
        ...{ block: Number(receipt.blockNumber), blockHash: receipt.blockHash },
      },
      null,
    ])
  })

  test('a receipt that is too large is unknown', async () => {
    const hash = await send(network.settlement, settle(8n))
    const answering = (answer: () => never | { value: unknown }[]): Rpc => ({
      call: evm.rpc.call,
      batch: async (calls) =>
        calls[0]?.method === 'eth_getTransactionReceipt' ? answer() : evm.rpc.batch(calls),
    })
    const tooLarge = answering(() => {
      throw new Outage('the network node', new TooLarge('answers with too much'))
    })
    expect(await read(hash, { rpc: tooLarge })).toMatchObject({ gasUsed: null, changes: null })
  })

  const methods = {
    byHash: ['eth_getTransactionByHash', 'eth_getTransactionReceipt'],
    byBlock: ['eth_getBlockReceipts'],
  }
  /** Knows nothing by these methods: says so with null, or with an error. */
  const forgetful = (forgotten: readonly string[], answer: RpcResponse = { value: null }): Rpc => ({
    async call<T>(method: string, params?: readonly unknown[]) {
      if (!forgotten.includes(method)) return evm.rpc.call<T>(method, params)
      throw new RpcError('not found', -32000)
    },
    batch: async (calls) => {
      const answers = await evm.rpc.batch(calls)
      return answers.map((each, index) => (forgotten.includes(calls[index]?.method ?? '') ? answer : each))
    },
  })

  test('is found in its block where the node keeps no index of transactions', async () => {
    const hash = await send(network.settlement, settle(8n))
    const known = await read(hash)
    expect(known).toMatchObject({ calls: [{ auctionId: 8n }] })
    for (const forgotten of [methods.byHash, methods.byHash.slice(1)])
      expect(await read(hash, { rpc: forgetful(forgotten) })).toEqual(known)
    const indexing = { error: new RpcError('transaction indexing is in progress', -32000) }
    expect(await read(hash, { rpc: forgetful(methods.byHash, indexing) })).toEqual(known)
  })

  test('is found by another node, and left out where no node knows it', async () => {
    const hash = await send(network.settlement, settle(8n))
    const known = await read(hash)
    const rpc = forgetful([...methods.byHash, ...methods.byBlock])
    const away: Rpc = {
      call: () => Promise.reject(new Outage('the network node')),
      batch: () => Promise.reject(new Outage('the network node')),
    }
    expect(await read(hash, { rpc, otherRpcs: [away, rpc, evm.rpc] })).toEqual(known)
    expect(await read(hash, { rpc, otherRpcs: [away, rpc] })).toBeUndefined()
    await expect(read(hash, { rpc: { ...away, call: evm.rpc.call } })).rejects.toThrow(Outage)
  })
})

test('logs of a receipt count in their order, whatever index and transaction they name', async () => {
  const hash = await send(network.settlement, settle(7n, transferCall(token, other, 3n)))
  const odd = (receipt: Record<string, unknown>) => ({
    ...receipt,
    logs: (receipt.logs as object[]).map((log) => ({
      ...log,
      logIndex: '0xffffffffffffffff',
      transactionHash: null,
    })),
  })
  const rpc: Rpc = {
    call: evm.rpc.call,
    batch: async (calls) =>
      (await evm.rpc.batch(calls)).map((answer, index) =>
        calls[index]?.method === 'eth_getTransactionReceipt' && 'value' in answer
          ? { value: odd(answer.value as Record<string, unknown>) }
          : answer,
      ),
  }
  expect((await read(hash, { rpc }))?.changes?.map((changes) => changes.get(token))).toEqual([-3n])
})

describe('settlements through another contract', () => {
  test.each([
    ['debug_traceTransaction', []],
    ['trace_transaction', ['debug_traceTransaction']],
  ] as const)('are found by %s, each with what it changed', async (_, missing) => {
    const hash = await send(wrapper, settle(9n, transferCall(token, other, 5n)))
    const mined = await read(hash, { traceRpc: without(...missing) })
    expect(mined?.calls.map(({ auctionId }) => auctionId)).toEqual([9n, 9n])
    expect(mined?.changes?.map((changes) => changes.get(token))).toEqual([-5n, -5n])
  })

  test('are not known where the node does not trace, and not looked for if a stranger sent them', async () => {
    const hash = await send(wrapper, settle(9n))
    const deaf = without('debug_traceTransaction', 'trace_transaction')
    expect(await read(hash, { traceRpc: deaf })).toMatchObject({ calls: [], sender: solver })
    const asked: string[] = []
    const traceRpc = { ...evm.rpc, call: async (method: string) => asked.push(method) as never }
    expect(await read(hash, { traceRpc, solversAmong: async () => new Set() })).toMatchObject({ calls: [] })
    expect(asked).toEqual([])
  })

  test('are those that did not revert', async () => {
    const to = network.settlement
    const call = (auctionId: bigint, more: object = {}) => ({
      type: 'CALL',
      to,
      input: settle(auctionId),
      ...more,
    })
    const frames = {
      ...call(1n, { to: other }),
      calls: [
        call(2n, { error: 'execution reverted' }),
        { ...call(0n, { to: other, error: 'execution reverted' }), calls: [call(3n)] },
        { ...call(0n, { to: other }), calls: [call(4n), { ...call(5n), type: 'STATICCALL' }] },
        call(6n),
      ],
    }
    const list = [
      { place: [], to: other, id: 1n },
      { place: [0], id: 2n, error: 'Reverted' },
      { place: [1], to: other, id: 0n, error: 'Reverted' },
      { place: [1, 0], id: 3n },
      { place: [2, 0], id: 4n },
      { place: [10], id: 6n },
    ].map(({ place, to: target = to, id, error }) => ({
      action: { callType: 'call', to: target, input: settle(id) },
      traceAddress: place,
      ...(error && { error }),
    }))
    const idsBy = async (answers: Record<string, unknown>) => {
      const rpc: Rpc = {
        batch: () => Promise.reject(new Error('unused')),
        async call<T>(method: string) {
          if (method in answers) return answers[method] as T
          throw new RpcError('the method does not exist', -32601)
        },
      }
      const found = await tracedSettlements(rpc, to, `0x${'11'.repeat(32)}` as const)
      return found?.map(({ auctionId }) => auctionId)
    }
    expect(await idsBy({ debug_traceTransaction: frames })).toEqual([4n, 6n])
    expect(await idsBy({ trace_transaction: list })).toEqual([4n, 6n])
    expect(await idsBy({})).toBeUndefined()
  })
})
