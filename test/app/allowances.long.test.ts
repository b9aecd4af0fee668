import { AbiCoder, Interface, MaxUint256 } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { type AllowanceFlags, allowances } from '../../src/app/commands/allowances.ts'
import { examine } from '../../src/app/commands/doctor.ts'
import { readSettings } from '../../src/app/config.ts'
import { parseIndex, toQuantity } from '../../src/chain/rpc/wire.ts'
import { encodeSettle } from '../../src/chain/settlement/call.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { approveCall } from '../../src/domain/settlement/calldata.ts'
import { findHoldingIndex, settlementTokens } from '../../src/storage/chain/settlement-holdings.ts'
import { readCompiled } from '../chain/compiled.ts'
import { numbered } from '../fakes/order.ts'
import { temporaryFile } from '../fakes/settings.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { startTestChain, type TestChain } from '../setup/chain.ts'
import { createTestDatabase, type TestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { runHere } from '../setup/program.ts'
import { startProgram } from '../setup/world.ts'

const [router, other] = [numbered('b0'), numbered('b1')]
const compiled = readCompiled('rights.sol', ['Items', 'Lasting', 'Rights'])
const abi = new Interface([
  'function send(address to)',
  'function setApprovalForAll(address,bool)',
  'function approve(address,uint256)',
  'function approve(address,uint256,uint256)',
  'function approve(address,address,uint160,uint48)',
  'function setOperator(address,bool)',
  'function authorizeOperator(address)',
  'function revokeOperator(address)',
  'function setRelayerApproval(address,address,bool)',
  'function approveDelegation(address,uint256)',
  'function setAuthorization(address,bool)',
])

let chain: TestChain
let database: TestDatabase
let app: App
let contracts: { rights: Address; items: Address; refusing: Address; keeping: Address }
const networks = temporaryFile('networks.json')

beforeAll(async () => {
  ;[chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  await chain.rpc.call('anvil_impersonateAccount', [chain.market.solver.address])
  contracts = {
    rights: await deploy('Rights'),
    items: await deploy('Items'),
    refusing: await deploy('Lasting', true),
    keeping: await deploy('Lasting', false),
  }
  await settle(...given())
  app = await startProgram({ chain, database }, {}, { roles: ['index'] })
}, 120_000)
afterAll(async () => {
  networks[Symbol.dispose]()
  await app?.close()
  await chain?.[Symbol.asyncDispose]()
  await database?.[Symbol.asyncDispose]()
})

interface Receipt {
  status: string
  contractAddress: string
}

async function send(from: Address, to: Address | undefined, data: string) {
  const { rpc } = chain
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: toQuantity(6_000_000) }])
  const receipt = await eventually(
    'a receipt',
    async () => (await rpc.call<Receipt | null>('eth_getTransactionReceipt', [hash])) ?? undefined,
  )
  expect(receipt.status).toBe('0x1')
  return receipt
}

async function deploy(name: string, ...values: boolean[]): Promise<Address> {
  const { bytecode } = compiled.find(({ contractName }) => contractName === name) ?? expect.fail()
  const words = AbiCoder.defaultAbiCoder().encode(
    values.map(() => 'bool'),
    values,
  )
  const trader = chain.market.accounts[0]?.address ?? expect.fail()
  return address((await send(trader, undefined, bytecode + words.slice(2))).contractAddress)
}

/** By the account of the built-in solver, which may. */
async function settle(...calls: Interaction[]): Promise<void> {
  const { network, solver } = chain.market
  const settlement = { tokens: [], clearingPrices: [], trades: [], auctionId: 0n }
  await send(
    solver.address,
    network.settlement,
    encodeSettle({ ...settlement, interactions: [[], calls, []] }),
  )
}

const call = (target: Address, name: string, ...values: unknown[]): Interaction => ({
  target,
  value: 0n,
  callData: abi.encodeFunctionData(name, values) as Hex,
})

function given(): Interaction[] {
  const { rights, items, refusing, keeping } = contracts
  const { tokens, network } = chain.market
  const [usdc, dai] = [tokens.USDC.address, tokens.DAI.address]
  const later = 2n ** 47n
  return [
    approveCall(usdc, router, MaxUint256),
    approveCall(dai, router, 7n),
    approveCall(dai, other, 7n),
    approveCall(dai, other, 0n),
    call(rights, 'setApprovalForAll', router, true),
    call(rights, 'approve(address,uint256,uint256)', router, 3n, 5n),
    call(rights, 'setOperator', router, true),
    call(rights, 'authorizeOperator', router),
    call(rights, 'authorizeOperator', other),
    call(rights, 'revokeOperator', other),
    call(rights, 'setRelayerApproval', network.settlement, router, true),
    call(rights, 'approveDelegation', router, 9n),
    call(rights, 'approve(address,address,uint160,uint48)', usdc, router, 11n, later),
    call(rights, 'approve(address,address,uint160,uint48)', dai, router, 11n, 1n),
    call(rights, 'setAuthorization', router, true),
    call(items, 'approve(address,uint256)', router, 12n),
    call(refusing, 'approve(address,uint256)', router, 1n),
    call(keeping, 'approve(address,uint256)', router, 2n),
    call(rights, 'send', network.settlement),
  ]
}

async function run(action: 'list' | 'revoke', flags: Partial<AllowanceFlags> = {}) {
  const lines: string[] = []
  const warnings: string[] = []
  const { network, solver } = chain.market
  const code = await allowances(action, {
    flags: { yes: false, json: false, ...flags },
    networks: [{ network, rpcUrl: chain.rpcUrl }],
    settings: readSettings({ SOLVER_PRIVATE_KEY: solver.privateKey }),
    db: database.db,
    log: silentLog,
    print: (line) => void lines.push(line),
    warn: (line) => void warnings.push(line),
  })
  return { code, lines, warnings }
}

async function listed(): Promise<string[]> {
  const { lines } = await run('list', { json: true })
  return lines
    .map((line) => JSON.parse(line))
    .map(({ kind, contract, value }) => [kind, contract, value].join(' '))
    .sort()
}

function expected(): string[] {
  const { rights, items, refusing, keeping } = contracts
  const { tokens } = chain.market
  return [
    `erc20Allowance ${tokens.USDC.address} ${MaxUint256}`,
    `erc20Allowance ${tokens.DAI.address} 7`,
    `operator ${rights} 1`,
    `erc6909Allowance ${rights} 5`,
    `erc6909Operator ${rights} 1`,
    `erc777Operator ${rights} 1`,
    `balancerRelayer ${rights} 1`,
    `creditDelegation ${rights} 9`,
    `permit2Allowance ${rights} 11`,
    `morphoAuthorization ${rights} 1`,
    `erc721Item ${items} 1`,
    `erc20Allowance ${refusing} 1`,
    `erc20Allowance ${keeping} 2`,
  ].sort()
}

test('every kind is found from logs, and only what exists is listed', async () => {
  await eventually('the rights are known', async () => (await listed()).length === 13)
  expect(await listed()).toEqual(expected())
  const { lines } = await run('list', { token: chain.market.tokens.USDC.address })
  const { name } = chain.market.network
  const { rights } = contracts
  expect(lines.toSorted()).toEqual([
    `${name}: erc20Allowance of ${chain.market.tokens.USDC.address} for ${router} unlimited`,
    `${name}: permit2Allowance of ${rights} for ${router} on 0x${chain.market.tokens.USDC.address.slice(2).padStart(64, '0')} 11`,
  ])
  expect((await run('list', { spender: other })).lines).toEqual([
    `${name}: the settlement contract gave no right that exists`,
  ])
  const stored = await settlementTokens(database.db, chain.market.network.chainId, 10)
  expect(stored.map(({ token }) => token)).toContain(rights)
}, 60_000)

function environmentOf() {
  const { network, solver } = chain.market
  const row = { ...network, priceAmount: `${network.priceAmount}`, rpcUrl: chain.rpcUrl }
  return {
    DATABASE_URL: database.url,
    NETWORKS_FILE: networks.write(JSON.stringify([row])),
    SOLVER_PRIVATE_KEY: solver.privateKey,
  }
}

test('doctor warns of each', async () => {
  const checks = await examine({ environment: environmentOf(), log: silentLog })
  const rights = checks.filter(({ about }) => about === 'sepolia: rights')
  expect(rights).toHaveLength(11)
  expect(new Set(rights.map(({ state }) => state))).toEqual(new Set(['poor']))
  expect(rights.at(-1)?.says).toBe('13 in all')
}, 60_000)

test('the command line has the command', async () => {
  const { stdout } = await runHere(['allowances', 'list', '--json'], environmentOf())
  expect(stdout.trimEnd().split('\n')).toHaveLength(13)
}, 180_000)

test('flags that name nothing are refused', async () => {
  const faults = [await run('list', { token: '0x12' }), await run('revoke', { network: 'nowhere' })]
  expect(faults.map(({ code, warnings }) => [code, warnings])).toEqual([
    [2, ['tradegraph: --token must be an address: 0x and 40 hex digits']],
    [2, ['tradegraph: --network must be one of sepolia']],
  ])
})

test('without --yes it says what it would do, and sends nothing', async () => {
  const { lines, warnings, code } = await run('revoke')
  expect(lines.filter((line) => line.includes('would end'))).toHaveLength(12)
  expect(lines.at(-1)).toMatch(
    /: 1 settlements by 0x[0-9a-f]{40}, at most \d+ gas and [\d.]+ coins; --yes sends them$/,
  )
  expect(warnings).toEqual([expect.stringMatching(/cannot end erc20Allowance .*: .*not now/)])
  expect(code).toBe(1)
  expect(await listed()).toEqual(expected())
}, 60_000)

test('it ends those that are named, then all that can be ended, and says which cannot', async () => {
  const { tokens } = chain.market
  const one = await run('revoke', { token: tokens.DAI.address, yes: true })
  expect([one.code, one.warnings]).toEqual([0, []])
  expect(one.lines.at(-1)).toBe(`sepolia: ended erc20Allowance of ${tokens.DAI.address} for ${router} 7`)
  expect(await listed()).toEqual(expected().filter((line) => !line.includes(tokens.DAI.address)))
  const all = await run('revoke', { yes: true })
  expect(all.code).toBe(1)
  expect(all.lines.filter((line) => line.includes(': ended '))).toHaveLength(10)
  const { refusing, keeping } = contracts
  expect(all.warnings).toEqual([
    expect.stringMatching(new RegExp(`cannot end erc20Allowance of ${refusing} .*: .*not now`)),
    expect.stringContaining(`cannot end erc20Allowance of ${keeping} for ${router} 2: its contract keeps it`),
  ])
  // A log of an end is no proof: `keeping` emits one and honours the allowance.
  const head = parseIndex(await chain.rpc.call('eth_blockNumber'))
  await eventually('the ends are indexed', async () => {
    const index = await findHoldingIndex(database.db, chain.market.network.chainId)
    return index && index.block >= head
  })
  expect(await listed()).toEqual([`erc20Allowance ${refusing} 1`, `erc20Allowance ${keeping} 2`].sort())
}, 120_000)
