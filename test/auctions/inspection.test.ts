import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { dangerOf, guardedSolution } from '../../src/auctions/inspection.ts'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { RpcError, type RpcResponse } from '../../src/chain/rpc/rpc.ts'
import type { Solution } from '../../src/domain/auction/solution.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { approveCall, transferCall } from '../../src/domain/settlement/calldata.ts'
import { sampleAuction } from '../fakes/order.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { inspectionServices } from '../setup/inspection.ts'
import { itemContracts, stageThefts, type TheftName, thief } from '../setup/thefts.ts'

let chain: TestChain
let stage: Awaited<ReturnType<typeof stageThefts>>

beforeAll(async () => {
  chain = await startTestChain()
  await chain.rpc.call('evm_setIntervalMining', [0])
  stage = await stageThefts(chain)
})
afterAll(() => chain?.[Symbol.asyncDispose]())

/** Methods and tracers that a node may lack. */
type Lack = 'eth_simulateV1' | 'debug_traceCall' | 'JavaScript'

function without(rpc: Rpc, lacks: readonly Lack[]): Rpc {
  const isMissing = (method: string, params: readonly unknown[] = []) =>
    lacks.some((lack) => lack === method) ||
    (lacks.includes('JavaScript') && JSON.stringify(params[2] ?? '').includes('step'))
  const missing = new RpcError('Method not found', -32601)
  return {
    call: (method, params) =>
      isMissing(method, params) ? Promise.reject(missing) : rpc.call(method, params),
    async batch(calls) {
      const asked = calls.filter(({ method, params }) => !isMissing(method, params))
      const answers = await rpc.batch(asked)
      return calls.map(
        ({ method, params }): RpcResponse =>
          isMissing(method, params) ? { error: missing } : (answers.shift() ?? { error: missing }),
      )
    },
  }
}

const inspecting = ({ lacks = [], held = [] }: { lacks?: readonly Lack[]; held?: readonly Address[] } = {}) =>
  inspectionServices(chain, { rpc: without(chain.rpc, lacks), held })

/** A solution of nothing but these calls. */
const solutionOf = (...calls: Interaction[]): Solution => ({
  solver: stage.solver.address,
  executions: [],
  score: 1n,
  pairScores: new Map(),
  proposal: { prices: new Map(), trades: [], interactions: calls, chosen: calls, gas: 600_000n },
})
/** The same with allowances, which the service gives. */
const allowing = (given: readonly Interaction[], ...calls: Interaction[]): Solution => {
  const { proposal, ...rest } = solutionOf(...calls)
  return { ...rest, proposal: { ...proposal, interactions: [...given, ...calls] } }
}

/** @returns why an engine's solution is refused; `passes` otherwise */
async function outcome(
  calls: Interaction[],
  { given = [], ...options }: Parameters<typeof inspecting>[0] & { given?: readonly Interaction[] } = {},
) {
  const { services } = inspecting(options)
  const guarded = await guardedSolution(sampleAuction([]), allowing(given, ...calls), services)
  if ('reason' in guarded) return guarded.reason
  // What is sent later is inspected again, with the guard that it has then.
  const again = await dangerOf(sampleAuction([]), guarded, services)
  return again ? `later: ${again.reason}` : 'passes'
}

const left = /leaves a right, or takes something, of the settlement contract in 0x/
const missing = /balance of 0x[0-9a-f]+ would be 100 less/
const holds = /has a balance or position in 0x/
const distraction = () => stage.call('Distraction', 'settle', [chain.market.network.settlement])
const dai = () => chain.market.tokens.DAI.address

describe('of an engine', () => {
  test.each<[string, () => Interaction, RegExp]>([
    ['a pool burns its own shares', () => stage.call('BurningPool', 'withdraw', [100n, thief]), missing],
    ['without a log', () => stage.call('BurningPool', 'withdrawQuietly', [100n, thief]), missing],
    ['a pool burns another token', () => stage.call('LendingPool', 'exit', [100n, thief, false]), missing],
    ['without a log', () => stage.call('LendingPool', 'exit', [100n, thief, true]), missing],
    ['a position that is no token', () => stage.call('LendingPool', 'close', [100n, thief]), left],
    ['a position by its number', () => stage.call('Deeds', 'collect', [7n, thief]), holds],
    ['a right to a position', () => stage.call('Deeds', 'entrust', [7n, thief]), holds],
    ['a right without a log', () => stage.call('RightsBook', 'allow', [thief, true]), left],
    ['delegated credit', () => stage.call('RightsBook', 'approveDelegation', [thief, 100n]), left],
    [
      'a relayer',
      () => stage.call('RightsBook', 'setRelayerApproval', [chain.market.network.settlement, thief, true]),
      left,
    ],
    ['bits in a namespace', () => stage.call('RightsBook', 'permitBits', [3n]), left],
    ['a right for a group of accounts', () => stage.call('RightsBook', 'trust', [thief]), left],
    ['a packed hash', () => stage.call('RightsBook', 'pack', [thief]), left],
    ['a list of managers', () => stage.call('RightsBook', 'addManager', [thief]), left],
    ['a slot as Vyper computes it', () => stage.call('RightsBook', 'grantInVyper', [5n]), left],
    [
      'several calls in one',
      () =>
        stage.call('RightsBook', 'multicall', [[stage.call('RightsBook', 'allow', [thief, true]).callData]]),
      left,
    ],
    ['a contract between', () => stage.call('Facade', 'register', [thief]), left],
    ['an old allowance', () => stage.call('OldRouter', 'pull', [dai(), 100n, thief]), missing],
    [
      'an old allowance without logs',
      () => stage.call('OldRouter', 'pull', [stage.placeOf('QuietToken'), 100n, thief]),
      missing,
    ],
    ['a plain transfer', () => transferCall(dai(), thief, 100n), missing],
    ['an allowance', () => approveCall(dai(), thief, 100n), /leaves 0x[0-9a-f]+ an allowance/],
  ])('%s is refused', async (_, theft, words) => {
    expect(await outcome([theft()])).toMatch(words)
  })

  test.each<[string, () => Interaction[], RegExp]>([
    [
      'a right, and then a call of the settlement contract',
      () => [stage.call('RightsBook', 'allow', [thief, true]), distraction()],
      left,
    ],
    [
      'a position, and then a call of the settlement contract',
      () => [stage.call('Deeds', 'collect', [7n, thief]), distraction()],
      holds,
    ],
    [
      'a right among very many',
      () => [stage.call('RightsBook', 'allow', [thief, true]), stage.call('Distraction', 'flood', [])],
      /cannot be seen with this node: more than is followed/,
    ],
    ['a lock by a function of tokens', () => [stage.call('Locks', 'transfer', [thief, 0n])], holds],
    ['a lock by a function of vaults', () => [stage.call('Locks', 'redeem', [0n, thief, thief])], holds],
    [
      'what another contract knows to be its own',
      () => [stage.call('DeedOffice', 'payOut', [7n, thief])],
      holds,
    ],
    [
      'an allowance that does not end',
      () => ['5', '0'].map((amount) => approveCall(stage.placeOf('StickyToken'), thief, BigInt(amount))),
      /leaves 0x[0-9a-f]+ an allowance/,
    ],
  ])('%s is refused', async (_, thefts, words) => {
    expect(await outcome(thefts())).toMatch(words)
  })

  describe('a right whose slot has the number of its balance', () => {
    const minted = (amount: bigint) =>
      stage.call('RightsToken', 'mint', [chain.market.network.settlement, amount])
    const allow = () => stage.call('RightsToken', 'allow', [thief, true])
    test.each<[string, () => Interaction, bigint]>([
      ['a flag', allow, 1n],
      ['an amount', () => stage.call('RightsToken', 'approveDelegation', [thief, 500n]), 500n],
      [
        'a relayer',
        () => stage.call('RightsToken', 'setRelayerApproval', [chain.market.network.settlement, thief, true]),
        1n,
      ],
      ['bits', () => stage.call('RightsToken', 'permitBits', [6n]), 6n],
      ['a group', () => stage.call('RightsToken', 'trust', [thief]), 1n],
      ['a packed hash', () => stage.call('RightsToken', 'pack', [thief]), 1n],
      ['a slot as Vyper computes it', () => stage.call('RightsToken', 'grantInVyper', [33n]), 33n],
      ['an address', () => stage.call('RightsToken', 'nominate', [thief]), BigInt(thief)],
      [
        'a level that anybody may set',
        () => stage.call('RightsToken', 'raise', [chain.market.network.settlement, 2n]),
        2n,
      ],
      ['several calls in one', () => stage.call('RightsToken', 'multicall', [[allow().callData]]), 1n],
      ['a list of managers', () => stage.call('RightsToken', 'addManager', [thief]), 1n],
    ])('%s is refused', async (_, grant, amount) => {
      expect(await outcome([grant(), minted(amount)])).toMatch(left)
      expect(await outcome([minted(amount), grant()])).toMatch(left)
    })

    test('the balance itself may grow', async () => {
      expect(await outcome([minted(1n)])).toBe('passes')
      expect(await outcome([minted(2n ** 90n)])).toBe('passes')
    })
  })

  describe('an allowance that is something else', () => {
    const allowed = (name: TheftName, amount: bigint) => {
      const token = stage.placeOf(name)
      return outcome([], { given: [approveCall(token, thief, amount), approveCall(token, thief, 0n)] })
    }
    test.each(itemContracts)('of %s is refused', async (name) => {
      for (const id of [3n, 7n]) expect(await allowed(name, id)).toMatch(holds)
    })
    test.each<[TheftName, bigint]>([
      ['SummingToken', 3n],
      ['StickyToken', 5n],
    ])('of %s is refused', async (name, amount) => {
      expect(await allowed(name, amount)).toMatch(/leaves|has a balance or position/)
    })
    test.each<[TheftName, bigint]>([
      ['HybridItems', 5_000n],
      ['QuietToken', 3n],
      ['CheckingToken', 3n],
      ['QuietToken', 2n ** 256n - 1n],
    ])('of %s that is one passes', async (name, amount) => {
      expect(await allowed(name, amount)).toBe('passes')
    })
    test('an item for its end is refused', async () => {
      for (const name of itemContracts.slice(0, 2))
        expect(await outcome([], { given: [approveCall(stage.placeOf(name), thief, 0n)] })).toMatch(holds)
    })
  })

  describe('what another contract knows of it', () => {
    const ways = [0n, 1n, 2n, 3n, 4n, 5n, 6n, 7n]
    test.each(ways)('in way %s is refused', async (way) => {
      expect(await outcome([stage.call('ManagedVault', 'sweep', [way, thief])])).toMatch(holds)
    })
    test.each(['sweepByClerk', 'sweepByToken', 'sweepInside'])('by %s is refused', async (method) => {
      for (const way of [0n, 1n])
        expect(await outcome([stage.call('ManagedVault', method, [way, thief])])).toMatch(holds)
    })
    test('under a function of vaults is refused', async () => {
      expect(await outcome([stage.call('ManagedVault', 'redeem', [1n, thief, thief])])).toMatch(holds)
    })
    test('tokens know their own balances and allowances', async () => {
      const pull = stage.call('OldRouter', 'pull', [dai(), 100n, chain.market.network.settlement])
      expect(await outcome([pull])).toBe('passes')
    })
    test('a balance that is burnt elsewhere is one', async () => {
      const shares = stage.placeOf('PoolShares')
      const burnt = stage.call('Redeemer', 'redeemShares', [shares, 5n, thief])
      expect(await outcome([burnt])).toMatch(/5 less/)
      expect(await outcome([stage.call('LendingPool', 'join', [5n]), burnt])).toBe('passes')
    })
  })

  describe('the words of the guard contract', () => {
    const unread = new Interface(['error NotRead(address token)'])
    const words = () => unread.encodeErrorResult('NotRead', [dai()]) as Hex
    const forge = () => stage.call('Forger', 'forge', [dai()])
    const pass = ({ target, callData }: Interaction) => stage.call('Forger', 'pass', [target, callData])
    test.each<[string, () => Interaction]>([
      ['its error', forge],
      ['its sentence', () => stage.call('Forger', 'say', [`the balance of ${dai()} cannot be read`])],
      ['a contract below', () => pass(forge())],
      ['two contracts below', () => pass(pass(forge()))],
      ['a contract while it is made', () => stage.call('Forger', 'create', [dai()])],
      ['its bare data', () => stage.call('Forger', 'spill', [words()])],
      [
        'its sentence from below',
        () => pass(stage.call('Forger', 'say', [`the balance of ${dai()} cannot be read`])),
      ],
      [
        'a token that a router moves',
        () => stage.call('OldRouter', 'pull', [stage.placeOf('Forger'), 1n, dai()]),
      ],
      ['code that it delegates to', () => stage.call('Forger', 'passInside', [forge().callData])],
    ])('as %s are counted, and no token is left out', async (_, call) => {
      const { services } = inspecting({ held: [dai()] })
      const danger = await guardedSolution(sampleAuction([]), solutionOf(call()), services)
      expect(danger).toEqual({
        code: 'reverts',
        reverts: true,
        isForged: true,
        reason: expect.stringMatching(
          new RegExp(`^the balance of ${dai()} cannot be read, says .*; alone it can be read$`),
        ),
      })
      expect(services.heldTokens.list()).toEqual([dai()])
      const stolen = await guardedSolution(
        sampleAuction([]),
        solutionOf(stage.call('OldRouter', 'pull', [dai(), 100n, thief])),
        services,
      )
      expect(stolen).toMatchObject({ reason: expect.stringMatching(missing) })
    })

    test('are not forged about a token of its own, nor about none', async () => {
      for (const token of [stage.placeOf('QuietToken'), thief])
        expect(
          await guardedSolution(
            sampleAuction([]),
            solutionOf(stage.call('Forger', 'forge', [token])),
            inspecting({ held: [dai()] }).services,
          ),
        ).toEqual({ code: 'reverts', reverts: true, reason: `the balance of ${token} cannot be read` })
    })

    test('are true of a token that cannot be read: it is left out', async () => {
      const broken = address('0x00000000000000000000000000000000000b0b0b')
      await chain.rpc.call('anvil_setCode', [broken, '0x60006000fd'])
      const { services } = inspecting({ held: [dai(), broken] })
      const fine = stage.call('BurningPool', 'mint', [thief, 5n])
      expect(await guardedSolution(sampleAuction([]), solutionOf(fine), services)).not.toHaveProperty(
        'reason',
      )
      expect(services.heldTokens.list()).toEqual([dai()])
    })

    test('are true of a token that can be read in simulations alone', async () => {
      const token = stage.placeOf('SpoilingToken')
      const { services } = inspecting({ held: [token] })
      expect(await services.effects.isUnreadable(stage.solver.address, token)).toBe(true)
      expect(await services.effects.isUnreadable(stage.solver.address, dai())).toBe(false)
    })
  })

  test('calls that change nothing of it pass', async () => {
    const fine = [
      stage.call('RightsBook', 'allow', [thief, false]),
      stage.call('BurningPool', 'mint', [thief, 5n]),
      stage.call('Deeds', 'mint', [8n, thief, 5n]),
      approveCall(dai(), thief, 100n),
      approveCall(dai(), thief, 0n),
    ]
    expect(await outcome(fine)).toBe('passes')
  })

  test('what it receives without a transfer may stay where it is a balance', async () => {
    expect(await outcome([stage.call('LendingPool', 'join', [5n])])).toBe('passes')
    expect(await outcome([stage.call('LendingPool', 'open', [5n])])).toMatch(left)
  })

  test('a contract of which it holds much is called in known ways alone', async () => {
    const pool = stage.placeOf('BurningPool')
    const mint = stage.call('BurningPool', 'mint', [thief, 5n])
    expect(await outcome([mint], { held: [pool] })).toMatch(holds)
    expect(await outcome([transferCall(dai(), dai(), 0n)], { held: [dai()] })).toBe('passes')
  })

  test('settlements that are under way do not count as its own', async () => {
    const { services, sequence } = inspecting()
    const sender = stage.solver.address
    const gas = 500_000n
    const allow = stage.call('RightsBook', 'allow', [thief, true])
    sequence.add({ sender, gas, calldata: stage.settle([allow, transferCall(dai(), thief, 7n)]) })
    const fine = stage.call('BurningPool', 'mint', [thief, 5n])
    const inspect = (call: Interaction) => guardedSolution(sampleAuction([]), solutionOf(call), services)
    expect(await inspect(fine)).not.toHaveProperty('reason')
    expect(await inspect(stage.call('RightsBook', 'trust', [thief]))).toMatchObject({
      reason: expect.stringMatching(left),
    })
    expect(await inspect(transferCall(dai(), thief, 100n))).toMatchObject({
      reason: expect.stringMatching(missing),
    })
  })
})

describe('of a driver, which the service does not guard', () => {
  const danger = async (...calls: Interaction[]) => {
    const { services } = inspecting()
    return (await dangerOf(sampleAuction([]), solutionOf(...calls), services))?.reason ?? 'passes'
  }

  test('the same holds', async () => {
    expect(await danger(stage.call('LendingPool', 'exit', [100n, thief, true]))).toMatch(
      /would have 100 less of 0x/,
    )
    expect(await danger(stage.call('OldRouter', 'pull', [dai(), 100n, thief]))).toMatch(/would have 100 less/)
    expect(await danger(stage.call('RightsBook', 'allow', [thief, true]))).toMatch(left)
    expect(await danger(stage.call('RightsBook', 'allow', [thief, false]))).toBe('passes')
  })
})

describe('with a node that offers less', () => {
  const fine = () => stage.call('BurningPool', 'mint', [thief, 5n])
  const theft = () => stage.call('OldRouter', 'pull', [dai(), 100n, thief])

  test.each<[readonly Lack[], { logs: boolean; storage: boolean }, RegExp, RegExp]>([
    [['eth_simulateV1'], { logs: true, storage: true }, /^passes$/, missing],
    [['JavaScript'], { logs: true, storage: false }, /cannot be seen with this node/, /cannot be seen/],
    [
      ['eth_simulateV1', 'JavaScript'],
      { logs: true, storage: false },
      /cannot be seen with this node/,
      /cannot be seen/,
    ],
    [
      ['eth_simulateV1', 'debug_traceCall'],
      { logs: false, storage: false },
      /the node cannot simulate it/,
      /the node cannot simulate it/,
    ],
  ])('without %j', async (lacks, support, honest, stolen) => {
    expect(await inspecting({ lacks }).services.effects.support()).toEqual(support)
    expect(await outcome([fine()], { lacks })).toMatch(honest)
    expect(await outcome([theft()], { lacks })).toMatch(stolen)
    if (support.logs) expect(await outcome([transferCall(dai(), thief, 100n)], { lacks })).toMatch(missing)
  })
})

test('a mined settlement shows the same', async () => {
  const { services } = inspecting()
  const [, other] = chain.market.outsideSolvers
  const transaction = {
    from: other?.address,
    to: chain.market.network.settlement,
    data: stage.settle([
      stage.call('RightsBook', 'allow', [thief, true]),
      stage.call('LendingPool', 'exit', [1n, thief, true]),
    ]),
    gas: '0x4c4b40',
  }
  const hash = await chain.rpc.call<`0x${string}`>('eth_sendTransaction', [transaction])
  await chain.rpc.call('evm_mine')
  const { writes } = await services.effects.minedFootprint(hash)
  expect(writes.map(({ contract }) => contract)).toEqual([
    stage.placeOf('RightsBook'),
    stage.placeOf('PoolShares'),
  ])
  expect([writes[1]?.before, writes[1]?.after].map((word) => BigInt(word ?? 0))).toEqual([1_000n, 999n])
})
