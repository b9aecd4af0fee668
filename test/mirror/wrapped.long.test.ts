import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { encodeSettle, encodeTrade } from '../../src/chain/settlement/call.ts'
import { authenticatorAddress } from '../../src/dev/chain/settlement-contracts.ts'
import { allowSolvers } from '../../src/dev/market/market.ts'
import { auctionKey } from '../../src/domain/auction/key.ts'
import { type Address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import type { OrderData, OrderUid } from '../../src/domain/order/order.ts'
import { orderUid } from '../../src/domain/signing/signing.ts'
import { sql } from '../../src/storage/database/database.ts'
import { numbered } from '../fakes/order.ts'
import { type FakeOrderBook, startOrderBook } from '../fakes/order-book.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { fillBuffers } from '../setup/drivers.ts'
import { eventually } from '../setup/eventually.ts'
import { forwarding, startRelayedNode } from '../setup/relayed-node.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { countCompetitions, startProgram, unlimited } from '../setup/world.ts'

/** Contracts that lead to the settlement contract; those in the first line may call it. */
const [wrapper, second, wallet] = [numbered('a1'), numbered('a2'), numbered('a3')]
const [outer, code, bundler, fake] = [numbered('a4'), numbered('a5'), numbered('a6'), numbered('a7')]
const stranger = numbered('a8')

let chain: TestChain
let book: FakeOrderBook
let database: TestDatabase
let program: App
let solver: Address
let lastAuction = 1_000
let amount = 10n ** 15n

beforeAll(async () => {
  ;[chain, book, database] = await Promise.all([startTestChain(), startOrderBook(), createTestDatabase()])
  const { rpc, market } = chain
  const { settlement } = market.network
  const account = market.outsideSolvers[0]
  if (!account) throw new Error('no account')
  solver = account.address
  await fillBuffers(chain)
  const codes: [Address, Hex][] = [
    [wrapper, forwarding(settlement)],
    [second, forwarding(settlement)],
    [outer, forwarding(wrapper)],
    [code, forwarding(settlement)],
    [wallet, delegating(code)],
    [fake, '0x00'],
  ]
  for (const each of codes) await rpc.call('anvil_setCode', each)
  for (const sender of [solver, stranger]) await rpc.call('anvil_impersonateAccount', [sender])
  await rpc.call('anvil_setBalance', [stranger, '0xde0b6b3a7640000'])
  await allowSolvers(rpc, [account, { address: wrapper }, { address: wallet }])
  program = await start()
  // The list of solvers changes while it is followed.
  await allowSolvers(rpc, [{ address: second }])
})
afterAll(async () => {
  await program?.close()
  book?.close()
  await database?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
})

const start = (rpcUrl = chain.rpcUrl) =>
  startProgram(
    { database, chain },
    { ...unlimited, METRICS_PORT: '0' },
    {
      roles: ['serve', 'index'],
      networks: [
        {
          network: { ...chain.market.network, poolFactory: zeroAddress, baseTokens: [] },
          rpcUrl,
          orderBook: { url: book.url, callsPerMinute: 1_000_000 },
        },
      ],
    },
  )

/** Code that runs that of another contract in its own name. */
const delegating = (to: Address): Hex =>
  `0x36600060003760006000366000${'73'}${to.slice(2)}5af415602957005b60006000fd`

interface ScriptedCall {
  to: Address
  data: Hex
  mayFail?: boolean
}

/** Code that makes these calls in turn. Its calldata follow it. */
function scripted(calls: readonly ScriptedCall[]): Hex {
  const three = (value: number) => `62${value.toString(16).padStart(6, '0')}`
  const sizes = calls.map(({ data }) => data.length / 2 - 1)
  const write = (end: number): string => {
    let offset = end + 6
    const parts = calls.map(({ to, mayFail }, index) => {
      const size = sizes[index] ?? 0
      const copy = `${three(size)}${three(offset)}600039`
      offset += size
      const call = `60006000${three(size)}60006000${'73'}${to.slice(2)}5af1`
      return `${copy}${call}${mayFail ? '50' : `15${three(end)}57`}`
    })
    return `${parts.join('')}00`
  }
  const end = write(0).length / 2
  return `0x${write(end)}5b60006000fd${calls.map(({ data }) => data.slice(2)).join('')}`
}

interface Signed {
  uid: OrderUid
  auction: number
  calldata: Hex
  solution: (by: Address, txHash: Bytes32 | null) => object
}

/** A signed order that the order book knows, and its settlement from the buffers of the contract. */
async function order(): Promise<Signed> {
  const { market } = chain
  const { network } = market
  amount += 1n
  const signed = await createTrader('', market).sign({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: amount,
    buyAmount: 1n,
  })
  const owner = signed.from.toLowerCase() as Address
  const { appData: document, appDataHash, from: _, ...rest } = signed as typeof signed & { appDataHash: Hex }
  const data = {
    ...rest,
    sellAmount: amount,
    buyAmount: 1n,
    feeAmount: 0n,
    appData: appDataHash,
    receiver: owner,
  } as unknown as OrderData
  const uid = orderUid(network, data, owner)
  book.add({
    ...rest,
    appData: appDataHash,
    fullAppData: document,
    uid,
    owner,
    status: 'open',
    class: 'limit',
    creationDate: new Date(1_780_000_000_000 + Number(amount - 10n ** 15n) * 1_000).toISOString(),
    executedSellAmount: '0',
    executedBuyAmount: '0',
    executedFee: '0',
    invalidated: false,
  })
  lastAuction += 1
  const trade = encodeTrade(
    { ...data, owner, signingScheme: 'eip712', signature: signed.signature as Hex },
    { sell: 0, buy: 1 },
    0n,
  )
  const tokens = [data.sellToken, data.buyToken]
  return {
    uid,
    auction: lastAuction,
    calldata: encodeSettle({
      tokens,
      clearingPrices: [1n, 10n ** 9n],
      trades: [trade],
      interactions: [[], [], []],
      auctionId: BigInt(lastAuction),
    }),
    solution: (solverAddress, txHash) => ({
      solverAddress,
      txHash,
      score: '1',
      ranking: 1,
      isWinner: true,
      filteredOut: false,
      clearingPrices: { [tokens[0] ?? '']: '1', [tokens[1] ?? '']: String(10n ** 9n) },
      orders: [
        {
          id: uid,
          sellAmount: String(amount),
          buyAmount: String((amount + 10n ** 9n - 1n) / 10n ** 9n),
          sellToken: tokens[0],
          buyToken: tokens[1],
        },
      ],
    }),
  }
}

const head = async () => Number(await chain.rpc.call<string>('eth_blockNumber'))

async function send(from: Address, to: Address, data: Hex): Promise<Bytes32> {
  const { rpc } = chain
  const hash = await rpc.call<Bytes32>('eth_sendTransaction', [{ from, to, data, gas: '0x1c9c380' }])
  await rpc.call('evm_mine')
  const receipt = await rpc.call<{ status: Hex }>('eth_getTransactionReceipt', [hash])
  expect(receipt.status).toBe('0x1')
  return hash
}

/** Shows a competition that one solution won, and claims to have settled in the transaction. */
async function show({ auction, uid, solution }: Signed, by: Address, txHash: Bytes32 | null): Promise<void> {
  const block = await head()
  book.competitions.set(auction, {
    auctionId: auction,
    auctionStartBlock: block - 2,
    auctionDeadlineBlock: block + 20,
    transactionHashes: txHash === null ? [] : [txHash],
    referenceScores: {},
    auction: { orders: [uid], prices: {} },
    solutions: [solution(by, txHash)],
  })
}

const settlementsOf = async (hash: Bytes32) =>
  (
    await graphql(
      program.url ?? '',
      `{ settlementsOfTransaction(hash: "${hash}") { auctionId solver isComplete trades { orderUid auctionId } } }`,
    )
  ).settlementsOfTransaction

const settledBy = (by: Address, { uid, auction }: Signed) => ({
  auctionId: auction,
  solver: by,
  isComplete: true,
  trades: [{ orderUid: uid, auctionId: auction }],
})

async function expectSettled(hash: Bytes32, expected: readonly object[]): Promise<void> {
  await eventually('the settlements are attributed', async () => {
    const found = await settlementsOf(hash)
    return (
      found.length === expected.length &&
      found.every(({ auctionId }: { auctionId: number | null }) => auctionId)
    )
  })
  expect(await settlementsOf(hash)).toEqual(expected)
}

/** Sends a settlement and shows its competition, which claims that this account won it. */
async function settle(from: Address, to: Address, by: Address): Promise<{ hash: Bytes32; signed: Signed }> {
  const signed = await order()
  const hash = await send(from, to, signed.calldata)
  await show(signed, by, hash)
  return { hash, signed }
}

async function bundled(calls: readonly ScriptedCall[], from: Address): Promise<Bytes32> {
  await chain.rpc.call('anvil_setCode', [bundler, scripted(calls)])
  return send(from, bundler, '0x')
}

describe('a settlement is its solver’s', () => {
  test.each<[string, () => { from: Address; to: Address; by: Address }]>([
    [
      'that calls the contract itself',
      () => ({ from: solver, to: chain.market.network.settlement, by: solver }),
    ],
    ['through a wrapper', () => ({ from: solver, to: wrapper, by: solver })],
    ['through two wrappers', () => ({ from: solver, to: outer, by: solver })],
    ['through a contract that a stranger calls', () => ({ from: stranger, to: wrapper, by: wrapper })],
    [
      'through a wallet that runs the code of another contract',
      () => ({ from: stranger, to: wallet, by: wallet }),
    ],
    ['that was allowed while the list was followed', () => ({ from: stranger, to: second, by: second })],
  ])('%s', async (_, way) => {
    const { from, to, by } = way()
    const { hash, signed } = await settle(from, to, by)
    await expectSettled(hash, [settledBy(by, signed)])
  })

  test('of two solvers in one transaction', async () => {
    const [one, other] = [await order(), await order()]
    const calls = [
      { to: wrapper, data: one.calldata },
      { to: second, data: other.calldata },
    ]
    const hash = await bundled(calls, stranger)
    await show(one, wrapper, hash)
    await show(other, second, hash)
    await expectSettled(hash, [settledBy(wrapper, one), settledBy(second, other)])
  })

  test('beside an attempt that failed, and one of a contract that only resembles the settlement contract', async () => {
    const [failing, posed, good] = [await order(), await order(), await order()]
    const calls = [
      { to: wrapper, data: `${failing.calldata.slice(0, 700)}${'ff'.repeat(200)}` as Hex, mayFail: true },
      { to: fake, data: posed.calldata },
      { to: wrapper, data: good.calldata },
    ]
    const hash = await bundled(calls, solver)
    await show(good, solver, hash)
    await expectSettled(hash, [settledBy(solver, good)])
  })

  test('among 5,000 calls', async () => {
    const signed = await order()
    const idle = Array.from({ length: 4_998 }, () => ({ to: fake, data: '0x' as const }))
    const hash = await bundled([...idle, { to: wrapper, data: signed.calldata }], solver)
    await show(signed, solver, hash)
    await expectSettled(hash, [settledBy(solver, signed)])
  })
})

test('a number is a claim: one of another order book is neither attributed nor a contradiction', async () => {
  const [foreign, claimed] = [await order(), await order()]
  const hash = await send(solver, wrapper, foreign.calldata)
  // Another order won the auction with this number, and was settled by itself.
  const settled = await send(solver, wrapper, claimed.calldata)
  await show({ ...claimed, auction: foreign.auction }, solver, null)
  await show(claimed, solver, settled)
  await expectSettled(settled, [settledBy(solver, claimed)])
  const id = auctionKey(chain.market.network.chainId, BigInt(foreign.auction)) ?? 0n
  await eventually('its number is another auction here', () =>
    sql(database.db).auction.findUnique({ where: { id } }),
  )
  await eventually('the settlement was read again', async () => (await settlementsOf(hash))[0]?.isComplete)
  expect(await settlementsOf(hash)).toEqual([
    { auctionId: null, solver, isComplete: true, trades: [{ orderUid: foreign.uid, auctionId: null }] },
  ])
  expect(await countCompetitions(program, 'contradicts')).toBe(0)
})

test('a solver that is removed, and allowed again by a reorganisation, in one and the same block', async () => {
  const remove = new Interface([
    'function removeSolver(address)',
    'function manager() view returns (address)',
  ])
  const { rpc } = chain
  const read = await rpc.call<Hex>('eth_call', [
    { to: authenticatorAddress, data: remove.encodeFunctionData('manager') },
    'latest',
  ])
  const manager = `0x${read.slice(-40)}`
  await rpc.call('anvil_impersonateAccount', [manager])
  const before = await head()
  const data = remove.encodeFunctionData('removeSolver', [solver])
  await rpc.call('eth_sendTransaction', [{ from: manager, to: authenticatorAddress, data, gas: '0x30d40' }])
  await rpc.call('evm_mine')
  const { hash, signed } = await settle(solver, wrapper, wrapper)
  await expectSettled(hash, [settledBy(wrapper, signed)])
  await rpc.call('anvil_reorg', [(await head()) - before, []])
  await eventually('the settlement is undone', async () => (await settlementsOf(hash)).length === 0)
  const again = await settle(solver, wrapper, solver)
  await expectSettled(again.hash, [settledBy(solver, again.signed)])
  expect(await sql(database.db).solverPermission.count({ where: { isAllowed: false } })).toBe(0)
})

test('a node without traces leaves the solver open, and one that has them is asked after a restart', async () => {
  await program.close()
  const refused: string[] = []
  const deaf = await startRelayedNode(chain.rpcUrl, async ({ method }) => {
    if (!/trace/.test(method)) return undefined
    refused.push(method)
    return { error: { code: -32601, message: 'the method does not exist' } }
  })
  program = await start(deaf.url)
  const settled: Awaited<ReturnType<typeof settle>>[] = []
  for (let count = 0; count < 3; count++) settled.push(await settle(solver, wrapper, solver))
  await eventually('the settlements are without a solver', async () => (await countedWithout()) === 3)
  for (const { hash, signed } of settled)
    expect(await settlementsOf(hash)).toEqual([
      {
        auctionId: null,
        solver: wrapper,
        isComplete: false,
        trades: [{ orderUid: signed.uid, auctionId: null }],
      },
    ])
  await eventually('the gauge counts them', async () =>
    (await request(`${program.metricsUrl}/metrics`)).body.includes(
      'tradegraph_indexer_settlements_without_solver{network="sepolia"} 3',
    ),
  )
  expect(await countCompetitions(program, 'contradicts')).toBe(0)
  expect(refused).toHaveLength(2)
  await program.close()
  deaf.close()
  program = await start()
  for (const { hash, signed } of settled) await expectSettled(hash, [settledBy(solver, signed)])
  expect(await countedWithout()).toBe(0)
})

async function countedWithout(): Promise<number> {
  return sql(database.db).settlement.count({ where: { solverDue: { not: null } } })
}

test('a transaction that is another’s on chain is the one contradiction', async () => {
  const { hash, signed } = await settle(solver, wrapper, solver)
  await expectSettled(hash, [settledBy(solver, signed)])
  expect(await countCompetitions(program, 'contradicts')).toBe(0)
  const claimed = await order()
  await show(claimed, solver, hash)
  await eventually('it is counted', async () => (await countCompetitions(program, 'contradicts')) === 1)
})
