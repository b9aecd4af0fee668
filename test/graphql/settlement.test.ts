import { afterAll, beforeAll, expect, test } from 'vitest'
import type { MinedSettlements } from '../../src/chain/settlement/mined.ts'
import type { Address } from '../../src/domain/evm/address.ts'
import type { Order } from '../../src/domain/order/order.ts'
import { applyBlocks, applyReorg, type Indexing } from '../../src/indexer/apply.ts'
import type { BlockRange } from '../../src/indexer/block-range.ts'
import { accountsOf } from '../../src/storage/auction/accounting.ts'
import type { Checkpoint } from '../../src/storage/chain/indexed-logs.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { sampleNetwork } from '../fakes/network.ts'
import { dollar, numbered, signingDomain, wrapped } from '../fakes/order.ts'
import { storeOrder } from '../fakes/stored-order.ts'
import {
  hashOf,
  minedAs,
  rangeOf,
  type SketchedBlock,
  settled,
  sketchBlock,
  trade,
} from '../indexer/hand-made.ts'
import { openTestServer, type TestServer } from '../setup/server.ts'
import { graphql } from '../setup/trader.ts'

const { chainId } = signingDomain
const solver = numbered('51')
const partner = numbered('9a')
const dust = numbered('d5')
const deadlineBlock = 10
/** Six hours at a second a block. */
const lateBlocks = 21_600
const fill = { sell: 10n ** 18n, buy: 2_970_072_000n }
const feePolicies = [
  { kind: 'volume' as const, factor: 4_000n },
  { kind: 'volume' as const, factor: 6_000n, recipient: partner },
]
/** Fees of 12 and 17.928 dollars, five atoms too much, and a loss of a token without a price. */
const changes = new Map<Address, bigint>([
  [dollar, 29_928_005n],
  [wrapped, 0n],
  [dust, -3n],
])

let server: TestServer
let indexing: Indexing
let checkpoint: Checkpoint | null = null
let auctions = 0n
const transactions = new Map<string, MinedSettlements>()

beforeAll(async () => {
  server = await openTestServer()
  const allowedAt = async (asked: readonly { account: Address }[]) =>
    asked.map(({ account }) => account === solver)
  indexing = { chainId, db: server.database.db, now: () => 5_000_000, network: sampleNetwork, allowedAt }
})
afterAll(() => server[Symbol.asyncDispose]())

async function competition(): Promise<{ id: bigint; order: Order; tx: string }> {
  const { db } = server.database
  const id = ++auctions
  const order = await storeOrder(db, { owner: numbered('0f'), sellAmount: fill.sell, validTo: Number(id) })
  const call = await storeCompetition(db, {
    id,
    solver,
    fills: [{ order, fill }],
    feePolicies,
    deadlineBlock,
  })
  const tx = `settle ${id}`
  transactions.set(hashOf(tx), { ...minedAs(call, solver), changes: [changes] })
  return { id, order, tx }
}

async function apply(...blocks: SketchedBlock[]): Promise<void> {
  const range = rangeOf(blocks)
  const settlements: BlockRange['settlements'] = new Map(
    [...range.settlements].map(([hash, mined]) => [hash, transactions.get(hash) ?? mined]),
  )
  checkpoint = await applyBlocks(checkpoint, { ...range, settlements }, indexing)
}

const blockWith = (number: number, { order, tx }: { order: Order; tx: string }, by = solver) =>
  sketchBlock(number, [trade(order, fill, tx), settled(by, tx)])

const settlementFields = `solver txHash blockNumber auctionId gasUsed effectiveGasPrice gasCost score
  fees { kind policy recipient amount value token { address } } slippage { amount value token { address } }
  trades { orderUid } auction { auctionId }`

const readSettlement = async (tx: string) =>
  (
    await graphql(
      server.url,
      `query ($hash: Bytes32!) { settlementsOfTransaction(hash: $hash) { id ${settlementFields} } }`,
      { hash: hashOf(tx) },
    )
  ).settlementsOfTransaction

const inDollars = { token: { address: dollar } }

test('a settlement says what it cost, kept and left, until a reorg takes it back', async () => {
  const own = await competition()
  await apply(blockWith(1, own))
  const [settlement] = await readSettlement(own.tx)
  const price = 10n ** 30n / 3_000n
  const value = (amount: bigint) => ((amount * price) / 10n ** 18n).toString()
  expect(settlement).toEqual({
    id: expect.any(String),
    solver,
    txHash: hashOf(own.tx),
    blockNumber: 1,
    auctionId: Number(own.id),
    score: '1',
    gasUsed: '100000',
    effectiveGasPrice: '7',
    gasCost: '700000',
    fees: [
      {
        kind: 'PROTOCOL',
        policy: 'VOLUME',
        recipient: null,
        amount: '12000000',
        value: value(12_000_000n),
        ...inDollars,
      },
      {
        kind: 'PARTNER',
        policy: 'VOLUME',
        recipient: partner,
        amount: '17928000',
        value: value(17_928_000n),
        ...inDollars,
      },
    ],
    slippage: [
      { amount: '5', value: value(5n), ...inDollars },
      { amount: '-3', value: null, token: { address: dust } },
    ],
    trades: [{ orderUid: own.order.uid }],
    auction: { auctionId: Number(own.id) },
  })
  const { node } = await graphql(
    server.url,
    `query ($id: ID!) { node(id: $id) { id ... on Settlement { solver } } }`,
    {
      id: settlement.id,
    },
  )
  expect(node).toEqual({ id: settlement.id, solver })

  checkpoint = await applyReorg(checkpoint, { number: 0, hash: hashOf('a:0') }, indexing)
  expect(await readSettlement(own.tx)).toEqual([])
  await apply(blockWith(1, own))
  expect(await readSettlement(own.tx)).toEqual([settlement])
})

test('it is reached from its trade, its attempt, its auction and the lists, by one statement each', async () => {
  const own = await competition()
  await apply(blockWith(2, own))
  const reached = { txHash: hashOf(own.tx) }
  const before = server.database.statements.length
  const { trades } = await graphql(
    server.url,
    `query ($uid: OrderUid!) { trades(orderUid: $uid) { nodes { settlement { txHash } } } }`,
    { uid: own.order.uid },
  )
  const { auction } = await graphql(
    server.url,
    `{ auction(id: ${own.id}) { settlements { txHash } settlementAttempts { revertedGas settlement { txHash } } } }`,
  )
  const list = `query ($solver: Address) { settlements(first: 1, solver: $solver) { nodes { txHash fees { amount } } } }`
  const { settlements } = await graphql(server.url, list, { solver })
  expect(server.database.statements.length - before).toBe(3)
  expect(trades.nodes).toEqual([{ settlement: reached }])
  expect(auction).toEqual({
    settlements: [reached],
    settlementAttempts: [{ revertedGas: null, settlement: reached }],
  })
  expect(settlements.nodes).toEqual([{ ...reached, fees: [expect.anything(), expect.anything()] }])
  expect((await graphql(server.url, list, { solver: partner })).settlements.nodes).toEqual([])
})

test('accounts add up by deadline, and are the rows of the command', async () => {
  const document = `query ($from: SafeInt!, $to: SafeInt!) { accounting(fromBlock: $from, toBlock: $to) { toBlock solvers {
    solver wins score missedScore settlements gasUsed gasCost protocolFees partnerFees networkFees slippage unpricedAmounts
    settlementsWithoutGas settlementsWithoutAmounts tokens { token { address } partnerFees slippage } partners { recipient amount }
  } } }`
  const ask = async (from: number, to: number) =>
    (await graphql(server.url, document, { from, to })).accounting
  await competition()
  expect(await ask(0, deadlineBlock)).toEqual({ toBlock: 1, solvers: [] })
  await apply(sketchBlock(deadlineBlock + 1, []))
  const before = server.database.statements.length
  const { toBlock, solvers } = await ask(0, 1_000)
  expect(server.database.statements.length - before).toBe(1)
  expect(toBlock).toBe(deadlineBlock)
  const price = 10n ** 30n / 3_000n
  const twice = (amount: bigint) => (2n * ((amount * price) / 10n ** 18n)).toString()
  expect(solvers).toEqual([
    {
      solver,
      wins: 3,
      score: '2',
      missedScore: '1',
      settlements: 2,
      gasUsed: '200000',
      gasCost: '1400000',
      protocolFees: twice(12_000_000n),
      partnerFees: twice(17_928_000n),
      networkFees: '0',
      slippage: twice(5n),
      unpricedAmounts: 2,
      settlementsWithoutGas: 0,
      settlementsWithoutAmounts: 0,
      tokens: [
        { token: { address: dust }, partnerFees: '0', slippage: '-6' },
        { token: { address: dollar }, partnerFees: '35856000', slippage: '10' },
      ].toSorted((a, b) => (a.token.address < b.token.address ? -1 : 1)),
      partners: [{ recipient: partner, amount: '35856000' }],
    },
  ])
  const rows = await accountsOf(server.database.db, { chainId, from: 0, to: 1_000 })
  expect(rows.solvers).toMatchObject([{ solver, wins: 3, score: 2n, gasCost: 1_400_000n }])
  expect(rows.lines.map(({ recipient, partnerFees }) => [recipient, partnerFees])).toContainEqual([
    partner,
    35_856_000n,
  ])
  await expect(ask(5, 4)).rejects.toThrow('toBlock must be')
  await expect(ask(0, 31 * 86_400)).rejects.toThrow('toBlock must be')
})

test('a settlement is attributed until six hours after the deadline, and through another contract by its outermost solver', async () => {
  const [inTime, late, wrapping, strange] = [
    await competition(),
    await competition(),
    await competition(),
    await competition(),
  ]
  const wrapper = numbered('3a')
  const through = (tx: string, sender: Address) => {
    const mined = transactions.get(hashOf(tx))
    const call = typeof mined?.calls === 'object' ? mined.calls[0]?.call : undefined
    if (mined) transactions.set(hashOf(tx), { ...mined, calls: [{ callers: [sender, wrapper], call }] })
  }
  through(wrapping.tx, solver)
  through(strange.tx, numbered('77'))
  await apply(
    blockWith(20, wrapping, wrapper),
    blockWith(21, strange, wrapper),
    blockWith(deadlineBlock + lateBlocks, inTime),
    blockWith(deadlineBlock + lateBlocks + 1, late),
  )
  const found = async ({ tx }: { tx: string }) => {
    const [{ auctionId, solver, fees }] = await readSettlement(tx)
    return { auctionId, solver, fees: fees?.length ?? null }
  }
  expect(await found(wrapping)).toEqual({ auctionId: Number(wrapping.id), solver, fees: 2 })
  expect(await found(strange)).toEqual({ auctionId: null, solver: wrapper, fees: null })
  expect(await found(inTime)).toEqual({ auctionId: Number(inTime.id), solver, fees: 2 })
  expect(await found(late)).toEqual({ auctionId: null, solver, fees: null })
})
