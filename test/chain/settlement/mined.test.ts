import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TooLarge } from '../../../src/chain/rpc/post.ts'
import { type Rpc, RpcError, type RpcResponse } from '../../../src/chain/rpc/rpc.ts'
import { encodeSettle, settlementAbi } from '../../../src/chain/settlement/call.ts'
import {
  type MinedOptions,
  type MinedSettlements,
  minedGas,
  minedSettlements,
} from '../../../src/chain/settlement/mined.ts'
import { createSettlementTracer } from '../../../src/chain/settlement/trace.ts'
import testToken from '../../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../../src/domain/evm/hex.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { Interaction } from '../../../src/domain/order/order.ts'
import { transferCall } from '../../../src/domain/settlement/calldata.ts'
import { numbered } from '../../fakes/order.ts'
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

async function read(
  hash: Bytes32,
  { traceRpc = evm.rpc, ...more }: Partial<MinedOptions> & { traceRpc?: Rpc } = {},
) {
  const { rpc } = evm
  const receipt = await rpc.call<{
    blockNumber: Hex
    blockHash: Bytes32
    logs: { address: Hex; topics: Hex[] }[]
  }>('eth_getTransactionReceipt', [hash])
  const logged = {
    txHash: hash,
    blockNumber: Number(receipt.blockNumber),
    blockHash: receipt.blockHash,
    settlements: receipt.logs.filter(({ topics }) => topics[0] === settlementTopic).length,
  }
  const tracer = tracerOf(traceRpc)
  const mined = await minedSettlements({ rpc, tracer, network, log: silentLog, ...more }, [logged])
  return mined.get(hash)
}

const settlementTopic = settlementAbi.getEvent('Settlement')?.topicHash

const tracerOf = (rpc: Rpc, now = () => 0) =>
  createSettlementTracer({ rpc, settlement: network.settlement, now, log: silentLog })

/** The numbers of the auctions that calls name, with who called. */
const shown = (calls: MinedSettlements['calls'] | undefined) =>
  typeof calls === 'object' ? calls.map(({ callers, call }) => [call?.auctionId, ...callers]) : calls

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
      blockHash: receipt.blockHash,
      calls: [{ callers: [solver], call: { auctionId: 7n } }],
      gasUsed: BigInt(receipt.gasUsed ?? ''),
      effectiveGasPrice: BigInt(receipt.effectiveGasPrice ?? ''),
    })
    expect(mined?.changes?.map((changes) => changes.get(token))).toEqual([-30n])
    expect(await minedGas(evm.rpc, [hash, `0x${'99'.repeat(32)}` as const])).toEqual([
      {
        isReverted: false,
        gas: mined?.gasUsed,
        gasPrice: mined?.effectiveGasPrice,
        block: Number(receipt.blockNumber),
        blockHash: receipt.blockHash,
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
    expect(known).toMatchObject({ calls: [{ call: { auctionId: 8n } }] })
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
    expect(shown(mined?.calls)).toEqual([
      [9n, solver, wrapper],
      [9n, solver, wrapper],
    ])
    expect(mined?.changes?.map((changes) => changes.get(token))).toEqual([-5n, -5n])
  })

  test('are not known where the node does not trace, which is tried once a minute', async () => {
    const hash = await send(wrapper, settle(9n))
    const calls: string[] = []
    let isDeaf = true
    const rpc: Rpc = {
      batch: evm.rpc.batch,
      call: (method, params) => {
        calls.push(method)
        return (isDeaf ? without('debug_traceTransaction', 'trace_transaction') : evm.rpc).call(
          method,
          params,
        )
      },
    }
    let time = 0
    const tracer = tracerOf(rpc, () => time)
    expect(await read(hash, { tracer })).toMatchObject({ calls: 'notOffered', gasUsed: expect.any(BigInt) })
    expect(await read(hash, { tracer })).toMatchObject({ calls: 'notOffered' })
    expect(calls).toEqual(['debug_traceTransaction', 'trace_transaction'])
    isDeaf = false
    time = 60_000
    expect(shown((await read(hash, { tracer }))?.calls)).toHaveLength(2)
  })

  test('are traced within a rate, and once for each block', async () => {
    const hashes: Bytes32[] = []
    for (let count = 0; count < 25; count++) hashes.push(await send(wrapper, settle(BigInt(count))))
    const tracer = tracerOf(evm.rpc)
    const first = []
    for (const hash of hashes) first.push(shown((await read(hash, { tracer }))?.calls))
    expect(first.filter((calls) => calls !== 'busy')).toHaveLength(20)
    expect(first.slice(20)).toEqual(Array(5).fill('busy'))
    expect(shown((await read(hashes[3] ?? '0x', { tracer }))?.calls)).toEqual(first[3])
  })

  test('are those that did not revert, with the accounts that led to them', async () => {
    const to = network.settlement
    const [wallet, code] = [numbered('3b'), numbered('3c')]
    const call = (auctionId: bigint, more: object = {}) => ({
      type: 'CALL',
      from: wrapper,
      to,
      input: settle(auctionId),
      ...more,
    })
    const frames = {
      ...call(1n, { from: solver, to: wrapper }),
      calls: [
        call(2n, { error: 'execution reverted' }),
        { ...call(0n, { to: other, error: 'execution reverted' }), calls: [call(3n, { from: other })] },
        {
          ...call(0n, { to: wallet }),
          calls: [
            // A wallet runs the code of another contract in its own name.
            {
              ...call(0n, { type: 'DELEGATECALL', from: wallet, to: code }),
              calls: [call(4n, { from: wallet }), call(5n, { type: 'STATICCALL', from: wallet })],
            },
            call(5n, { type: 'DELEGATECALL', from: wallet }),
          ],
        },
        { ...call(0n), input: '0xf8a8fd6d' },
        call(6n),
      ],
    }
    const list = [
      { place: [], from: solver, to: wrapper, id: 1n },
      { place: [0], id: 2n, error: 'Reverted' },
      { place: [1], to: other, id: 0n, error: 'Reverted' },
      { place: [1, 0], from: other, id: 3n },
      { place: [2], to: wallet, id: 0n },
      { place: [2, 0], type: 'delegatecall', from: wallet, to: code, id: 0n },
      { place: [2, 0, 0], from: wallet, id: 4n },
      { place: [10], id: 6n },
    ].map(({ place, from = wrapper, to: target = to, id, error, type: callType = 'call' }) => ({
      action: { callType, from, to: target, input: settle(id) },
      traceAddress: place,
      ...(error && { error }),
    }))
    const found = async (answers: Record<string, unknown>) => {
      const rpc: Rpc = {
        batch: () => Promise.reject(new Error('unused')),
        async call<T>(method: string) {
          if (method in answers) return answers[method] as T
          throw new RpcError('the method does not exist', -32601)
        },
      }
      return shown(await tracerOf(rpc).settleCalls({ hash: other, blockHash: other }))
    }
    const expected = [
      [4n, solver, wrapper, wallet],
      [6n, solver, wrapper],
    ]
    expect(await found({ debug_traceTransaction: frames })).toEqual(expected)
    expect(await found({ trace_transaction: list })).toEqual(expected)
    expect(await found({})).toBe('notOffered')
    expect(await found({ debug_traceTransaction: { ...frames, from: 'nobody' } })).toBe('malformed')
  })

  test('are read among 5,000 calls of one transaction', async () => {
    const calls = Array.from({ length: 4_998 }, () => ({
      type: 'CALL',
      from: wrapper,
      to: other,
      input: '0x',
    }))
    const frame = { type: 'CALL', from: wrapper, to: network.settlement, input: settle(7n) }
    const rpc = {
      batch: evm.rpc.batch,
      call: async () => ({ type: 'CALL', from: solver, to: wrapper, calls: [...calls, frame] }),
    }
    const tracer = tracerOf(rpc as unknown as Rpc)
    expect(shown(await tracer.settleCalls({ hash: other, blockHash: other }))).toEqual([
      [7n, solver, wrapper],
    ])
  })
})
