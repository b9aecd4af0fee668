import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { bidding, type SentOrder } from '../fakes/auction-engine.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { stageThefts, thief } from '../setup/thefts.ts'
import { createTrader } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
const warnings: { message: string; fields: Record<string, unknown> | undefined }[] = []
/** Worthless tokens that strangers sent: DONATED_TOKENS=10000 sends ten thousand. */
const donated = Number(process.env.DONATED_TOKENS ?? 500)

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let engine: SolverEngineFake
let stage: Awaited<ReturnType<typeof stageThefts>>

beforeAll(async () => {
  ;[database, chain, engine] = await Promise.all([
    createTestDatabase(),
    startTestChain(),
    startSolverEngine(),
  ])
  stage = await stageThefts(chain)
  await stage.donate(donated)
  const { privateKey } = stage.solver
  const environment = {
    ...unlimited,
    SOLVERS: JSON.stringify([{ kind: 'engine', name: 'thief', url: engine.url, privateKey }]),
  }
  app = await startProgram({ database, chain }, environment, {
    roles: ['serve', 'index', 'auction'],
    log: { ...silentLog, warn: (message, fields) => void warnings.push({ message, fields }) },
  })
})
afterAll(async () => {
  await app?.close()
  await engine?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const trader = () => createTrader(app.url ?? '', chain.market)
const status = async (uid: string) => (await trader().order(uid)).status
let placed = 0
/** WETH for USDC. */
async function place(): Promise<string> {
  const validTo = Math.floor(Date.now() / 1000) + 1_000 + placed++
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin / 10n, buyAmount: 1n, validTo } as const
  const { status, body } = await trader().place(swap)
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

type Notice = { kind: string; reason: string }
async function noticeOf(kind: string, words: RegExp): Promise<void> {
  const url = `${app.url}/${chain.market.network.name}/api/v1/solver_notices/${stage.solver.address}`
  await eventually(`${kind} ${words}`, async () => {
    const response = await fetch(url)
    const notices: Notice[] = response.ok ? await response.json() : []
    return notices.some((notice) => notice.kind === kind && words.test(notice.reason))
  })
}

const wire = ({ target, value, callData }: Interaction) => ({ target, value: String(value), callData })
const dai = () => chain.market.tokens.DAI.address

test.each<[string, () => Interaction, string, RegExp]>([
  [
    'a pool that burns shares of its caller',
    () => stage.call('LendingPool', 'exit', [100n, thief, false]),
    'simulationFailed',
    /balance of 0x[0-9a-f]+ would be 100 less/,
  ],
  [
    'a right for later',
    () => stage.call('RightsBook', 'allow', [thief, true]),
    'driverError',
    /leaves a right, or takes something, of the settlement contract in 0x/,
  ],
  [
    'an allowance that the contract gave long ago',
    () => stage.call('OldRouter', 'pull', [dai(), 99n, thief]),
    'simulationFailed',
    /balance of 0x[0-9a-f]+ would be 99 less/,
  ],
  [
    'a right whose slot has the number of a balance',
    () => stage.call('RightsToken', 'allowAndMint', [thief]),
    'driverError',
    /leaves a right, or takes something, of the settlement contract in 0x/,
  ],
  [
    'what another contract knows of it',
    () => stage.call('ManagedVault', 'sweep', [1n, thief]),
    'driverError',
    /has a balance or position in 0x[0-9a-f]+, which may not be called with 0x[0-9a-f]+, as 0x/,
  ],
  [
    'a revert with the words of the guard contract',
    () => stage.call('Forger', 'forge', [dai()]),
    'simulationFailed',
    /cannot be read, says 0x[0-9a-f]+; alone it can be read/,
  ],
  [
    'the same where gas has a price alone',
    () => stage.call('Forger', 'forgeWhenMined', [dai()]),
    'simulationFailed',
    /cannot be read, says 0x[0-9a-f]+; alone it can be read/,
  ],
  [
    'what a contract does where gas has a price alone, with a token that the settlement does not touch',
    () => stage.call('OldRouter', 'pullWhenMined', [dai(), 100n, thief]),
    'simulationFailed',
    /balance of 0x[0-9a-f]+ would be 100 less/,
  ],
])('%s takes nothing', async (_, theft, kind, words) => {
  const before = await stage.holdings()
  engine.behaves(bidding({ more: () => ({ postInteractions: [wire(theft())] }) }))
  const uid = await place()
  await noticeOf(kind, words)
  engine.behaves(bidding({ times: 0n }))
  expect(await status(uid)).toBe('open')
  expect((await trader().cancel([uid])).status).toBe(200)
  expect(await stage.holdings()).toEqual(before)
})

/** A swap through a contract with a function of its own, by a named allowance. */
const through = (order: SentOrder, paid: bigint, pool: Address) => {
  const { sellToken, buyToken, sellAmount } = order
  const amounts = sellToken < buyToken ? [0n, paid] : [paid, 0n]
  return {
    interactions: [
      {
        kind: 'custom',
        internalize: false,
        ...wire(stage.call('BurningPool', 'trade', [sellToken, pool, BigInt(sellAmount), ...amounts])),
        allowances: [{ token: sellToken, spender: stage.placeOf('BurningPool'), amount: sellAmount }],
        inputs: [{ token: sellToken, amount: sellAmount }],
        outputs: [{ token: buyToken, amount: String(paid) }],
      },
    ],
  }
}

test('an allowance that is an item takes nothing', async () => {
  const before = await stage.holdings()
  const allowed = (order: SentOrder, paid: bigint, pool: Address) => {
    const item = { token: stage.placeOf('Items'), spender: thief, amount: '3' }
    const { interactions } = through(order, paid, pool)
    return {
      interactions: interactions.map((one) => ({ ...one, allowances: [...one.allowances, item] })),
    }
  }
  engine.behaves(bidding({ more: allowed }))
  const uid = await place()
  await noticeOf(
    'driverError',
    /has a balance or position in 0x[0-9a-f]+, which may not be called with 0x095ea7b3/,
  )
  engine.behaves(bidding({ times: 0n }))
  expect(await status(uid)).toBe('open')
  expect((await trader().cancel([uid])).status).toBe(200)
  expect(await stage.holdings()).toEqual(before)
})

test('an honest swap through a contract of which the settlement contract holds shares is settled', async () => {
  const before = await stage.holdings()
  engine.behaves(bidding({ more: through }))
  const uid = await place()
  await eventually('it is filled', async () => (await status(uid)) === 'fulfilled')
  for (let part = 0; part < 10; part++) await chain.rpc.call('anvil_mine', ['0x14'])
  expect(await stage.holdings()).toEqual(before)
})

test('rights that a contract gives in a transaction alone are ended', async () => {
  const before = await stage.holdings()
  const heir = address('0x4e1700000000000000000000000000000000beef')
  const grants = [
    stage.call('RightsBook', 'allowWhenMined', [heir]),
    stage.call('RightsBook', 'delegateWhenMined', [heir, 7n]),
  ]
  const more = (order: SentOrder, paid: bigint, pool: Address) => ({
    ...through(order, paid, pool),
    postInteractions: grants.map(wire),
  })
  engine.behaves(bidding({ more }))
  const uid = await place()
  await eventually('it is filled', async () => (await status(uid)) === 'fulfilled')
  await noticeOf('banned', /leaves a right, or takes something, of the settlement contract in 0x/)
  const { settlement } = chain.market.network
  const given = async () => [
    await stage.read('RightsBook', 'isAllowed', [settlement, heir]),
    await stage.read('RightsBook', 'borrowAllowance', [settlement, heir]),
  ]
  await eventually('they are ended', async () => {
    const [isAllowed, amount] = await given()
    return isAllowed === false && amount === 0n
  })
  expect(await stage.holdings()).toEqual(before)
  // Each was given: the chain has the settlements that gave and ended them.
  const ended = await eventually('it says so', async () => {
    const found = warnings.filter(({ message }) => message === 'rights of the settlement contract are ended')
    return found.length > 0 && found
  })
  expect(ended.flatMap(({ fields }) => fields?.rights)).toEqual(
    ['creditDelegation', 'compoundManager'].map((kind) =>
      expect.stringContaining(`${kind} of ${stage.placeOf('RightsBook')} for ${heir}`),
    ),
  )
})
