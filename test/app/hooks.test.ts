import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { RpcError } from '../../src/chain/rpc/rpc.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { startScriptedNode } from '../chain/scripted-node.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { createTrader, graphql, request } from '../setup/trader.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const one = 10n ** 18n

let chain: TestChain
let database: TestDatabase
let node: Awaited<ReturnType<typeof startScriptedNode>>
let program: App
/** True if the node between has the methods that trace. */
let traces = true
/** The number of requests to trace a call. */
let tracedCalls = 0

const startService = () =>
  startProgram(
    { database, chain },
    {
      ...unlimited,
      SOLVER_PRIVATE_KEY: chain.market.solver.privateKey,
      CMS_ENABLED: 'true',
      CMS_API_KEY: 'cms-key-of-the-tests',
    },
    {
      networks: [{ network: chain.market.network, rpcUrl: node.url }],
      roles: ['serve', 'index', 'auction'],
    },
  )

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  // A reorg goes back two blocks before a settlement: states before the loaded one are not known.
  for (let block = 0; block < 2; block++) await chain.rpc.call('evm_mine', [])
  node = await startScriptedNode({
    async answer({ method, params }) {
      if (method === 'debug_traceCall') tracedCalls++
      if (!traces && /^(debug|trace)_/.test(method))
        return { error: { code: -32601, message: 'the method does not exist' } }
      try {
        return { result: await chain.rpc.call(method, params) }
      } catch (fault) {
        if (!(fault instanceof RpcError)) throw fault
        const { code, message, data } = fault
        return { error: { code, message, data } }
      }
    },
  })
  await Promise.all(
    Object.entries(codes).map(([target, code]) => chain.rpc.call('anvil_setCode', [target, code])),
  )
  program = await startService()
})
beforeEach(() => {
  traces = true
  tracedCalls = 0
})
afterAll(async () => {
  await program?.close()
  await node?.[Symbol.asyncDispose]()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

const target = (digits: string) => `0x${digits.padStart(40, 'c0de')}`
const [counting, unused, closed] = [target('01'), target('02'), target('03')]
const [burning, nested] = [target('04'), target('05')]
const closedError = `08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], ['the bridge is closed']).slice(2)}`
const codes: Record<string, string> = {
  // Adds one to a number in storage: 22 thousand gas units the first time.
  [counting]: '0x6001600054016000550000',
  [unused]: '0x6001600054016000550000',
  [closed]: `0x6064600c60003960646000fd${closedError}`,
  [burning]: '0x5b600056',
  // Calls the burning one with 63/64 of its gas, and reverts with what is left.
  [nested]: `0x6000600060006000600073${burning.slice(2)}5af160006000fd`,
}

interface Hook {
  target: string
  callData: string
  gasLimit: string
}
const hook = (target: string, gasLimit = '60000'): Hook => ({ target, callData: '0x', gasLimit })
const documentOf = (post: Hook[], pre: Hook[] = []) => JSON.stringify({ metadata: { hooks: { pre, post } } })

const traderOf = () => createTrader(program.url ?? '', chain.market)

async function signed(post: Hook[], buyAmount = 1n) {
  const appData = documentOf(post)
  const order = await traderOf().sign({
    sell: 'WETH',
    buy: 'USDC',
    sellAmount: one,
    buyAmount,
    appDataHash: keccakText(appData),
  })
  return { ...order, appData, appDataHash: keccakText(appData) }
}

async function place(post: Hook[]): Promise<string> {
  const { status, body } = await request(`${traderOf().base}/api/v1/orders`, 'POST', await signed(post))
  expect([status, body]).toEqual([201, expect.any(String)])
  return body
}

const read = async (uid: string) => {
  const { order } = await graphql(
    program.url ?? '',
    `query ($uid: OrderUid!) { order(uid: $uid) {
      hooks { phase target gasLimit calls { outcome unknownReason reason gasUsed txHash blockNumber } }
      events(first: 100) { nodes { label } }
      diagnosis { code further { code summary evidence { ... on HookEvidence { phase index target outcome gasUsed } } } }
    } }`,
    { uid },
  )
  return order
}

/** The order when the settlement's hooks have been read, at this block if one is named. */
const whenRead = (uid: string, block?: number) =>
  eventually('its hooks are read', async () => {
    const order = await read(uid)
    const [call] = order.hooks[0].calls
    const isRead = call && call.unknownReason !== 'NOT_YET_READ'
    return isRead && (block === undefined || call.blockNumber === block) && order
  })

/** The notifications of failed post-hooks of an order. */
async function notificationsOf(uid: string): Promise<object[]> {
  const { account } = await graphql(
    program.url ?? '',
    `query ($owner: Address!) { account(address: $owner) {
      notificationHistory(first: 100, filter: { types: [POST_HOOK_FAILED] }) { nodes {
        orderUid ... on PostHookFailedNotification { txHash failedHooks }
      } }
    } }`,
    { owner: traderOf().address },
  )
  return account.notificationHistory.nodes.filter(({ orderUid }: { orderUid: string }) => orderUid === uid)
}

const inside = { phase: 'POST', index: 0 }

/** Placed by the first test, for those that follow. */
let failing: { uid: string; txHash: string; blockNumber: number }[] = []

/** The codes of an order's explanation before it is signed, with the hooks that they name. */
async function explain(post: Hook[], buyAmount?: bigint) {
  const { signature: _, ...order } = await signed(post, buyAmount)
  const { body } = await request(`${traderOf().base}/api/v1/orders/diagnosis`, 'POST', order)
  return [body, ...body.further].map(({ code, evidence }) => ({ code, evidence }))
}

/** The warnings of a verified quote for an account without funds, about its hooks. */
async function warningsOf(hooks: { pre?: Hook[]; post?: Hook[] }, from = target('0f')) {
  const { tokens } = chain.market
  const { quote } = await graphql(
    program.url ?? '',
    `mutation ($input: QuoteInput!) { quote(input: $input) {
      verified warnings { code evidence { ... on HookEvidence { phase index target outcome gasLimit gasUsed } } }
    } }`,
    {
      input: {
        sellToken: tokens.WETH.address,
        buyToken: tokens.USDC.address,
        from,
        amount: { sellBeforeFee: `${one}` },
        priceQuality: 'VERIFIED',
        appData: documentOf(hooks.post ?? [], hooks.pre),
      },
    },
  )
  expect(quote.verified).toBe(true)
  return quote.warnings.filter(({ code }: { code: string }) => code === 'HOOK_GAS_TIGHT')
}

/** The unused counter's limit is 24,000: it uses some 22,100 units, and leaves less than a tenth. */
const tightHook = (outcome: string, target = unused, gasLimit = '24000') => ({
  target,
  gasLimit,
  outcome,
  gasUsed: expect.any(String),
})

test('an order shows what its post-hook did: it succeeded, reverted, or ran out of gas inside', async () => {
  const uids = await Promise.all([counting, closed, nested].map((target) => place([hook(target)])))
  const [fine, reverted, ranOut] = await Promise.all(uids.map((uid) => whenRead(uid)))
  const calls = [fine, reverted, ranOut].map(({ hooks }) => hooks)
  const known = { unknownReason: null, txHash: expect.any(String), blockNumber: expect.any(Number) }
  const shown = (target: string, outcome: string, reason: string | null) => [
    {
      phase: 'POST',
      target,
      gasLimit: '60000',
      calls: [{ ...known, outcome, reason, gasUsed: expect.any(String) }],
    },
  ]
  expect(calls).toEqual([
    shown(counting, 'SUCCEEDED', null),
    shown(closed, 'REVERTED', 'the bridge is closed'),
    shown(nested, 'OUT_OF_GAS', null),
  ])
  const [used, little, max] = calls.map(([first]) => Number(first.calls[0].gasUsed))
  expect(used).toBeGreaterThan(22_000)
  expect(little).toBeLessThan(1_000)
  // A 64th of the limit is left at most.
  expect(max).toBeGreaterThanOrEqual(59_062)

  expect(fine.diagnosis).toEqual({ code: 'FILLED', further: [] })
  expect(fine.events.nodes.map(({ label }: { label: string }) => label)).not.toContain('HOOK_FAILED')
  const halfDone = (target: string, outcome: string, cause: string) => ({
    code: 'FILLED',
    further: [
      {
        code: 'POST_HOOK_FAILED',
        summary: `A call of the order’s own after its trade, to ${target}, failed: ${cause}.`,
        evidence: expect.arrayContaining([{ ...inside, target, outcome, gasUsed: expect.any(String) }]),
      },
    ],
  })
  expect(reverted.diagnosis).toEqual(halfDone(closed, 'REVERTED', 'reverted: the bridge is closed'))
  expect(ranOut.diagnosis).toEqual(halfDone(nested, 'OUT_OF_GAS', 'out of gas'))
  for (const { events } of [reverted, ranOut])
    expect(events.nodes.map(({ label }: { label: string }) => label).at(-1)).toBe('HOOK_FAILED')

  const { body } = await request(`${traderOf().base}/api/v1/debug/order/${uids[1]}`)
  expect(body.hooks).toEqual([
    expect.objectContaining({
      phase: 'post',
      target: closed,
      gasLimit: '60000',
      calls: [expect.objectContaining({ outcome: 'reverted', reason: 'the bridge is closed' })],
    }),
  ])
  failing = [uids[1] ?? '', uids[2] ?? ''].map((uid, index) => ({ uid, ...calls[index + 1][0].calls[0] }))
  expect(await notificationsOf(uids[0] ?? '')).toEqual([])
  for (const { uid, txHash } of failing)
    expect(await notificationsOf(uid)).toMatchObject([{ txHash, failedHooks: 1 }])
})

test('hooks with too little gas are named before an order is signed', async () => {
  expect(await explain([hook(unused), hook(closed)])).toEqual([{ code: 'placeable', evidence: [] }])
  const ofRest = { kind: 'hook', phase: 'post' }
  expect(await explain([hook(counting), hook(unused, '24000'), hook(nested)])).toEqual([
    {
      code: 'hookGasTight',
      evidence: [
        { ...ofRest, index: 1, ...tightHook('succeeded') },
        { ...ofRest, index: 2, ...tightHook('outOfGas', nested, '60000') },
      ],
    },
  ])
  expect(tracedCalls).toBe(2)
  expect(await explain([])).toEqual([{ code: 'placeable', evidence: [] }])
  expect(tracedCalls).toBe(2)
})

test('and among the warnings of a quote', async () => {
  expect(await warningsOf({ post: [hook(unused, '25000'), hook(closed)] })).toEqual([])
  const tight = hook(unused, '24000')
  const warning = (phase: string) => [
    { code: 'HOOK_GAS_TIGHT', evidence: [{ phase, index: 0, ...tightHook('SUCCEEDED') }] },
  ]
  // The account has no funds yet.
  expect(await warningsOf({ post: [tight] })).toEqual(warning('POST'))
  // Pre-hooks may bring them: they are measured over what there is.
  expect(await warningsOf({ pre: [tight] })).toEqual([])
  expect(await warningsOf({ pre: [tight] }, traderOf().address)).toEqual(warning('PRE'))
})

test('but not by a node that does not trace', async () => {
  traces = false
  expect(await explain([hook(unused, '24000')])).toEqual([{ code: 'placeable', evidence: [] }])
  expect(await warningsOf({ post: [hook(unused, '24000')] })).toEqual([])
  expect(tracedCalls).toBe(2)
})

test('a failed post-hook is notified once, though its settlement moves to another block', async () => {
  const [first] = failing.toSorted((a, b) => a.blockNumber - b.blockNumber)
  const { uid, txHash, blockNumber } = first as (typeof failing)[number]
  const raw = await chain.rpc.call('eth_getRawTransactionByHash', [txHash])
  // The settlement may be in the newest block, and has no room to move to then.
  await chain.rpc.call('evm_mine', [])
  // The block before may have an earlier transaction of the solver: it stays, so no block is mined meanwhile.
  await chain.rpc.call('evm_setIntervalMining', [0])
  const head = Number(await chain.rpc.call<string>('eth_blockNumber'))
  await chain.rpc.call('anvil_reorg', [head - blockNumber + 1, [[raw, 1]]])
  await chain.rpc.call('evm_setIntervalMining', [1])
  const receipt = await chain.rpc.call<{ blockNumber: string }>('eth_getTransactionReceipt', [txHash])
  expect(Number(receipt.blockNumber)).toBe(blockNumber + 1)
  const moved = await whenRead(uid, Number(receipt.blockNumber))
  expect(moved.diagnosis.further.map(({ code }: { code: string }) => code)).toEqual(['POST_HOOK_FAILED'])
  expect(moved.hooks[0].calls).toHaveLength(1)
  expect(await notificationsOf(uid)).toHaveLength(1)
})

test('a node that does not trace leaves the outcome open, and a restart notifies of nothing again', async () => {
  await program.close()
  traces = false
  program = await startService()
  const uid = await place([hook(closed)])
  const { hooks, diagnosis, events } = await whenRead(uid)
  expect(hooks[0].calls).toMatchObject([
    { outcome: null, reason: null, gasUsed: null, unknownReason: 'NOT_TRACED' },
  ])
  expect(diagnosis).toEqual({ code: 'FILLED', further: [] })
  expect(events.nodes.map(({ label }: { label: string }) => label)).not.toContain('HOOK_FAILED')
  expect(await notificationsOf(uid)).toEqual([])
  for (const { uid } of failing) expect((await notificationsOf(uid)).length).toBe(1)
})
