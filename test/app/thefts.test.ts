import { AbiCoder, type Fragment, Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { allowSolvers } from '../../src/dev/market/outside-solvers.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { approveCall, transferCall } from '../../src/domain/settlement/calldata.ts'
import { readCompiled } from '../chain/compiled.ts'
import { type Bid, bidding, type SentOrder } from '../fakes/auction-engine.ts'
import { type SolverEngineFake, startSolverEngine } from '../fakes/solver-engine.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const coin = 10n ** 18n
/** In the order of their deployment, with the contracts that their constructors take. */
const makers = {
  BurningPool: [],
  PoolShares: [],
  Ledger: [],
  LendingPool: ['PoolShares', 'Ledger'],
  RightsBook: [],
  Facade: ['RightsBook'],
  Deeds: [],
  OldRouter: [],
  QuietToken: [],
} as const
const names = Object.keys(makers) as Name[]
type Name = keyof typeof makers
const compiled = readCompiled('thefts.sol', names)
const abiOf = (name: Name) =>
  new Interface(compiled.find(({ contractName }) => contractName === name)?.abi as Fragment[])

let chain: TestChain
let database: TestDatabase
let app: Awaited<ReturnType<typeof startProgram>>
let engine: SolverEngineFake
let solver: Address
const at: Partial<Record<Name, Address>> = {}
const thief = address('0x00000000000000000000000000000000007411ef')

beforeAll(async () => {
  ;[database, chain, engine] = await Promise.all([
    createTestDatabase(),
    startTestChain(),
    startSolverEngine(),
  ])
  const { market, rpc } = chain
  const { network, tokens } = market
  const [account, honest] = market.outsideSolvers
  if (!account || !honest) throw new Error('two solvers are needed')
  solver = account.address
  await allowSolvers(rpc, [account, honest])
  await rpc.call('anvil_impersonateAccount', [honest.address])
  for (const name of names) at[name] = await deploy(name)
  await send(transferCall(tokens.DAI.address, network.settlement, 1_000n * coin))
  await send(call('BurningPool', 'mint', [network.settlement, 1_000n]))
  await send(call('PoolShares', 'mint', [network.settlement, 1_000n]))
  await send(call('Ledger', 'add', [network.settlement, 1_000n]))
  await send(call('QuietToken', 'mint', [network.settlement, 1_000n]))
  await send(call('Deeds', 'mint', [7n, network.settlement, 1_000n]))
  // Allowances that the contract gave long ago.
  const given = [tokens.DAI.address, placeOf('QuietToken')].map((token) =>
    approveCall(token, placeOf('OldRouter'), 2n ** 255n),
  )
  await send(
    {
      target: network.settlement,
      callData: encodeSettle({
        ...{ tokens: [], clearingPrices: [], trades: [], auctionId: 1n },
        interactions: [given, [], []],
      }),
    },
    honest.address,
  )
  const environment = {
    ...unlimited,
    SOLVERS: JSON.stringify([
      { kind: 'engine', name: 'thief', url: engine.url, privateKey: account.privateKey },
    ]),
  }
  app = await startProgram({ database, chain }, environment, { roles: ['serve', 'index', 'auction'] })
})
afterAll(async () => {
  await app?.close()
  await engine?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

async function deploy(name: Name): Promise<Address> {
  const { bytecode = '0x' } = compiled.find(({ contractName }) => contractName === name) ?? {}
  const values = makers[name].map(placeOf)
  const given = AbiCoder.defaultAbiCoder().encode(
    values.map(() => 'address'),
    values,
  )
  const { contractAddress } = await send({ callData: `${bytecode}${given.slice(2)}` as Hex })
  return address(contractAddress)
}

async function send(
  { target, callData }: { target?: Address; callData: Hex },
  from = chain.market.accounts[0]?.address,
) {
  const transaction = { from, data: callData, gas: '0x4c4b40', ...(target && { to: target }) }
  const hash = await chain.rpc.call('eth_sendTransaction', [transaction])
  await chain.rpc.call('evm_mine')
  const receipt = await chain.rpc.call<{ status: string; contractAddress: Address }>(
    'eth_getTransactionReceipt',
    [hash],
  )
  expect(receipt.status).toBe('0x1')
  return receipt
}

const placeOf = (name: Name): Address => at[name] ?? expect.fail(name)

/** A call of the settlement contract that an engine proposes. */
function call(name: Name, method: string, values: readonly unknown[]): Interaction {
  return { target: placeOf(name), value: 0n, callData: abiOf(name).encodeFunctionData(method, values) as Hex }
}

async function read(name: Name, method: string, values: readonly unknown[]): Promise<unknown> {
  const data = abiOf(name).encodeFunctionData(method, values)
  const returned = await chain.rpc.call<string>('eth_call', [{ to: placeOf(name), data }, 'latest'])
  return abiOf(name).decodeFunctionResult(method, returned)[0]
}

const erc20 = new Interface(['function balanceOf(address) view returns (uint256)'])
async function balance(token: Address): Promise<bigint> {
  const data = erc20.encodeFunctionData('balanceOf', [chain.market.network.settlement])
  return BigInt(await chain.rpc.call<string>('eth_call', [{ to: token, data }, 'latest']))
}

/** Everything that the settlement contract holds, and the rights that it gave. */
async function holdings() {
  const { network, tokens } = chain.market
  const { settlement } = network
  return {
    dai: await balance(tokens.DAI.address),
    shares: await read('BurningPool', 'balanceOf', [settlement]),
    lent: await read('PoolShares', 'balanceOf', [settlement]),
    position: await read('Ledger', 'positions', [settlement]),
    quiet: await read('QuietToken', 'balanceOf', [settlement]),
    deed: await read('Deeds', 'worth', [7n]),
    entrusted: await read('Deeds', 'entrusted', [7n]),
    allowed: await read('RightsBook', 'isAllowed', [settlement, thief]),
    delegated: await read('RightsBook', 'borrowAllowance', [settlement, thief]),
  }
}

let placed = 0
/** WETH for USDC. */
async function place(): Promise<string> {
  const validTo = Math.floor(Date.now() / 1000) + 1_000 + placed++
  const swap = { sell: 'WETH', buy: 'USDC', sellAmount: coin / 10n, buyAmount: 1n, validTo } as const
  const { status, body } = await trader().place(swap)
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const trader = () => createTrader(app.url ?? '', chain.market)

const base = () => `${app.url}/${chain.market.network.name}`
type Notice = { auctionId: string; kind: string; reason: string }
const notices = async (): Promise<Notice[]> =>
  (await fetch(`${base()}/api/v1/solver_notices/${solver}`)).json()

/** @returns the reason for which a solution with this trade was refused, of an auction after those before */
async function refusalOf(more: Bid['more'] & {}): Promise<string> {
  const last = Math.max(0, ...(await notices()).map(({ auctionId }) => Number(auctionId)))
  engine.behaves(bidding({ more }))
  const uid = await place()
  const news = async () => (await notices()).filter(({ auctionId }) => Number(auctionId) > last)
  await eventually('a notice', async () => (await news()).length > 0)
  const [first] = (await news()).toReversed()
  expect((await trader().order(uid)).status).toBe('open')
  engine.behaves(bidding({ times: 0n }))
  expect((await trader().cancel([uid])).status).toBe(200)
  return `${first?.kind}: ${first?.reason}`
}

const wire = ({ target, value, callData }: Interaction) => ({ target, value: String(value), callData })
const afterwards = (theft: () => Interaction) => () => ({ postInteractions: [wire(theft())] })

describe('what the settlement contract holds is not taken, and no right to it is left', () => {
  const holding = /has a balance or position in 0x/
  const leaving = /leaves a right, or takes something/
  const missing = /balance of 0x[0-9a-f]+ would be 100 less/
  test.each<[string, () => Interaction, RegExp]>([
    ['a pool burns its own shares', () => call('BurningPool', 'withdraw', [100n, thief]), missing],
    ['and logs nothing', () => call('BurningPool', 'withdrawQuietly', [100n, thief]), missing],
    [
      'a pool burns shares that are another token',
      () => call('LendingPool', 'exit', [100n, thief, false]),
      missing,
    ],
    ['and logs nothing', () => call('LendingPool', 'exit', [100n, thief, true]), missing],
    ['a position that is no token', () => call('LendingPool', 'close', [100n, thief]), leaving],
    ['a right for later (Compound III)', () => call('RightsBook', 'allow', [thief, true]), leaving],
    ['credit is delegated', () => call('RightsBook', 'approveDelegation', [thief, 100n]), leaving],
    [
      'a relayer is approved',
      () => call('RightsBook', 'setRelayerApproval', [chain.market.network.settlement, thief, true]),
      leaving,
    ],
    ['bits in a namespace', () => call('RightsBook', 'permitBits', [3n]), leaving],
    ['a right for a group of accounts', () => call('RightsBook', 'trust', [thief]), leaving],
    ['a right under a packed hash', () => call('RightsBook', 'pack', [thief]), leaving],
    ['a list of managers', () => call('RightsBook', 'addManager', [thief]), leaving],
    ['a slot as Vyper computes it', () => call('RightsBook', 'grantInVyper', [5n]), leaving],
    [
      'several calls in one',
      () => call('RightsBook', 'multicall', [[call('RightsBook', 'allow', [thief, true]).callData]]),
      leaving,
    ],
    ['a contract between', () => call('Facade', 'register', [thief]), leaving],
    ['a position by its number', () => call('Deeds', 'collect', [7n, thief]), holding],
    ['a right to a position', () => call('Deeds', 'entrust', [7n, thief]), holding],
    [
      'an old allowance',
      () => call('OldRouter', 'pull', [chain.market.tokens.DAI.address, 100n, thief]),
      /balance of 0x[0-9a-f]+ would be 100 less/,
    ],
    [
      'an old allowance of a token without logs',
      () => call('OldRouter', 'pull', [placeOf('QuietToken'), 100n, thief]),
      /balance of 0x[0-9a-f]+ would be 100 less/,
    ],
  ])('%s', async (_, theft, words) => {
    const before = await holdings()
    expect(await refusalOf(afterwards(theft))).toMatch(words)
    expect(await holdings()).toEqual(before)
  })
})

test('what a contract takes in a transaction alone reverts on chain, though the settlement does not touch the token', async () => {
  const before = await holdings()
  const pull = () => call('OldRouter', 'pullWhenMined', [chain.market.tokens.DAI.address, 100n, thief])
  engine.behaves(bidding({ more: afterwards(pull) }))
  const uid = await place()
  await eventually('it reverts', async () => (await notices()).some(({ kind }) => kind === 'revert'))
  engine.behaves(bidding({ times: 0n }))
  expect((await trader().order(uid)).status).toBe('open')
  expect((await trader().cancel([uid])).status).toBe(200)
  expect(await holdings()).toEqual(before)
})

/** A swap through a contract with a function of its own, by a named allowance. */
const through = (name: Name) => (order: SentOrder, paid: bigint, pool: Address) => {
  const { sellToken, buyToken, sellAmount } = order
  const amounts = sellToken < buyToken ? [0n, paid] : [paid, 0n]
  return {
    interactions: [
      {
        ...{ kind: 'custom', internalize: false },
        ...wire(call(name, 'trade', [sellToken, pool, BigInt(sellAmount), ...amounts])),
        allowances: [{ token: sellToken, spender: placeOf(name), amount: sellAmount }],
        inputs: [{ token: sellToken, amount: sellAmount }],
        outputs: [{ token: buyToken, amount: String(paid) }],
      },
    ],
  }
}

test('an honest swap through a contract of its own is settled, also where a stranger sent one wei of its shares', async () => {
  const before = await holdings()
  engine.behaves(bidding({ more: through('BurningPool') }))
  const uid = await place()
  await eventually('it is filled', async () => (await trader().order(uid)).status === 'fulfilled')
  expect(await holdings()).toEqual(before)
})

test('nothing is taken afterwards either', async () => {
  const before = await holdings()
  await chain.rpc.call('anvil_mine', ['0xc8'])
  expect(await holdings()).toEqual(before)
  expect(before).toMatchObject({
    shares: 1_000n,
    lent: 1_000n,
    position: 1_000n,
    quiet: 1_000n,
    deed: 1_000n,
    allowed: false,
    delegated: 0n,
  })
})
