import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Interface } from 'ethers'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createRpc, type Rpc } from '../../src/chain/rpc/rpc.ts'
import { authenticatorAbi, authenticatorAddress } from '../../src/dev/chain/settlement-contracts.ts'
import { type Stack, startStack } from '../../src/dev/stack.ts'
import { maxUint256, mulDivDown } from '../../src/domain/amount.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'

let home: string
let stack: Stack
let rpc: Rpc

const start = async (): Promise<void> => {
  stack = await startStack({ home, reset: false, log: silentLog })
  rpc = createRpc({ url: stack.rpcUrl, log: silentLog })
}

beforeAll(async () => {
  home = createTemporaryHome()
  await start()
})
afterAll(async () => {
  await stack?.stop()
  await removeTemporaryHome(home)
})

const contracts = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
  'function decimals() view returns (uint8)',
  'function symbol() view returns (string)',
  'function transfer(address, uint256) returns (bool)',
  'function domainSeparator() view returns (bytes32)',
  'function vaultRelayer() view returns (address)',
  'function settlement() view returns (address)',
  'function authenticator() view returns (address)',
  'function getPair(address, address) view returns (address)',
  'function token0() view returns (address)',
  'function getReserves() view returns (uint112, uint112, uint32)',
  'function swap(uint256, uint256, address, bytes)',
])

async function read(to: Address, method: string, args: unknown[] = []) {
  const data = contracts.encodeFunctionData(method, args)
  return contracts.decodeFunctionResult(method, await rpc.call('eth_call', [{ to, data }, 'latest']))
}
const readOne = async (to: Address, method: string, args: unknown[] = []): Promise<unknown> =>
  (await read(to, method, args))[0]

async function send(from: Address, to: Address, method: string, args: unknown[]): Promise<string> {
  const data = contracts.encodeFunctionData(method, args)
  const hash = await rpc.call<string>('eth_sendTransaction', [{ from, to, data }])
  await rpc.call('evm_mine')
  const receipt = await eventually(`receipt of ${method}`, () =>
    rpc
      .call<{ status: string } | null>('eth_getTransactionReceipt', [hash])
      .then((found) => found ?? undefined),
  )
  expect(receipt.status).toBe('0x1')
  return hash
}

const pids = () => ({
  chain: Number(JSON.parse(readFileSync(join(home, 'chain.json'), 'utf8')).pid),
  database: Number(readFileSync(join(home, 'database', 'data', 'postmaster.pid'), 'utf8').split('\n')[0]),
})

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(stack.databaseUrl)
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

describe('a new market', () => {
  it('has the settlement contracts at the addresses of every network', async () => {
    const { network, market } = stack
    expect(network).toMatchObject({
      chainId: 11155111,
      name: 'sepolia',
      finalityBlocks: 64,
      blockTimeMs: 1000,
    })
    expect(network.settlement).toBe('0x9008d19f58aabd9ed0d60971565aa8510560ab41')
    for (const at of [network.settlement, authenticatorAddress, network.vaultRelayer, network.poolFactory]) {
      expect((await rpc.call<string>('eth_getCode', [at, 'latest'])).length).toBeGreaterThan(100)
    }
    expect(network.hooksTrampoline).toBe('0x60bf78233f48ec42ee3f101b9a05ec7878728006')
    expect(address(String(await readOne(network.hooksTrampoline, 'settlement')))).toBe(network.settlement)
    expect(await readOne(network.settlement, 'domainSeparator')).toBe(
      '0xdaee378bd0eb30ddf479272accf91761e697bc00e067a268f95f1d2732ed230b',
    )
    expect(address(String(await readOne(network.settlement, 'vaultRelayer')))).toBe(network.vaultRelayer)
    expect(address(String(await readOne(network.settlement, 'authenticator')))).toBe(authenticatorAddress)
    const data = authenticatorAbi.encodeFunctionData('isSolver', [market.solver.address])
    const answer = await rpc.call<string>('eth_call', [{ to: authenticatorAddress, data }, 'latest'])
    expect(BigInt(answer)).toBe(1n)
  })

  it('has the tokens that its description lists', async () => {
    for (const [symbol, token] of Object.entries(stack.market.tokens)) {
      expect(await readOne(token.address, 'symbol')).toBe(symbol)
      expect(await readOne(token.address, 'decimals')).toBe(BigInt(token.decimals))
    }
    const { WETH } = stack.market.tokens
    expect(WETH.address).toBe('0xfff9976782d46cc05630d1f6ebab18b2324d6b14')
    const covered = BigInt(await rpc.call<string>('eth_getBalance', [WETH.address, 'latest']))
    expect(await readOne(WETH.address, 'totalSupply')).toBe(covered)
  })

  it('has funded its traders and approved their tokens', async () => {
    const { accounts, tokens, solver } = stack.market
    expect(new Set([...accounts, solver].map((account) => account.address)).size).toBe(6)
    for (const account of accounts) {
      expect(BigInt(await rpc.call<string>('eth_getBalance', [account.address, 'latest']))).toBe(10n ** 22n)
      for (const [symbol, token] of Object.entries(tokens)) {
        const min = symbol === 'USDC' || symbol === 'DAI' ? 1_000_000n : 1_000n
        const held = await readOne(token.address, 'balanceOf', [account.address])
        expect(held).toBeGreaterThanOrEqual(min * 10n ** BigInt(token.decimals))
        const spender = stack.network.vaultRelayer
        expect(await readOne(token.address, 'allowance', [account.address, spender])).toBe(maxUint256)
      }
    }
    expect(BigInt(await rpc.call<string>('eth_getBalance', [solver.address, 'latest']))).toBeGreaterThan(
      10n ** 20n,
    )
  })

  it.each([
    ['WETH', 'USDC', 3_000n * 10n ** 6n],
    ['WETH', 'DAI', 3_000n * 10n ** 18n],
    ['WETH', 'COW', 10_000n * 10n ** 18n],
  ] as const)('sells 1 %s for %s, and the price moves by less than 0.5 %%', async (sell, buy, price) => {
    const { tokens, accounts } = stack.market
    const trader = accounts[0]?.address ?? expect.fail()
    const pair = [tokens[sell].address, tokens[buy].address]
    const pool = address(String(await readOne(stack.network.poolFactory, 'getPair', pair)))
    const sellsFirst = address(String(await readOne(pool, 'token0'))) === tokens[sell].address
    const reserves = async () => {
      const [first = 0n, second = 0n]: bigint[] = await read(pool, 'getReserves')
      return sellsFirst ? { sold: first, bought: second } : { sold: second, bought: first }
    }
    const one = 10n ** 18n
    const before = await reserves()
    expect(mulDivDown(one, before.bought, before.sold)).toBe(price)
    const out = (before.bought * one * 997n) / (before.sold * 1000n + one * 997n)
    expect(out).toBeGreaterThan(mulDivDown(price, 995n, 1000n))

    await send(trader, tokens[sell].address, 'transfer', [pool, one])
    await send(trader, pool, 'swap', sellsFirst ? [0n, out, trader, '0x'] : [out, 0n, trader, '0x'])
    const after = await reserves()
    const next = mulDivDown(one, after.bought, after.sold)
    expect(next).toBeLessThan(price)
    expect(next).toBeGreaterThan(mulDivDown(price, 995n, 1000n))
  })
})

it('is found again by the next program after the previous one was killed', async () => {
  await stack.stop()
  const script = `
    import { startStack } from ${JSON.stringify(new URL('../../src/dev/stack.ts', import.meta.url))}
    const log = { debug() {}, info() {}, warn() {}, error() {} }
    const stack = await startStack({ home: ${JSON.stringify(home)}, reset: false, log })
    console.log(stack.rpcUrl)
    setInterval(() => {}, 1000)
  `
  const program = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [url] = await once(program.stdout, 'data')
  const left = pids()
  program.kill('SIGKILL')
  await once(program, 'exit')

  await start()
  expect(pids()).toEqual(left)
  expect(stack.rpcUrl).toBe(String(url).trim())
})

it('keeps all committed rows and saved blocks when its processes are killed', async () => {
  const genesis = await rpc.call('eth_getBlockByNumber', ['0x0', false])
  const { accounts, tokens } = stack.market
  const [from, to] = accounts.map((account) => account.address)
  if (!from || !to) expect.fail()
  const hash = await send(from, tokens.COW.address, 'transfer', [to, 5n])
  const held = await readOne(tokens.COW.address, 'balanceOf', [to])
  await query('CREATE TABLE IF NOT EXISTS kept AS SELECT 42 AS answer')
  const head = Number(await rpc.call('eth_blockNumber'))
  const saved = () => statSync(join(home, 'chain-state.json')).mtimeMs
  const before = saved()
  await eventually('the next save', () => saved() > before)

  const killed = pids()
  process.kill(killed.chain, 'SIGKILL')
  expect(await stack.died).toBe(`the local chain (pid ${killed.chain}) ended`)
  process.kill(killed.database, 'SIGKILL')
  await stack.stop()
  await start()
  expect(pids().chain).not.toBe(killed.chain)
  expect(pids().database).not.toBe(killed.database)
  expect(await rpc.call('eth_getBlockByNumber', ['0x0', false])).toEqual(genesis)
  expect(Number(await rpc.call('eth_blockNumber'))).toBeGreaterThanOrEqual(head)
  expect(await rpc.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
  expect(await readOne(tokens.COW.address, 'balanceOf', [to])).toBe(held)
  expect(await query('SELECT answer FROM kept')).toEqual([{ answer: 42 }])
})

it('starts from nothing on reset', async () => {
  const genesis = await rpc.call('eth_getBlockByNumber', ['0x0', false])
  await stack.stop()
  stack = await startStack({ home, reset: true, log: silentLog })
  rpc = createRpc({ url: stack.rpcUrl, log: silentLog })
  expect(await rpc.call('eth_getBlockByNumber', ['0x0', false])).not.toEqual(genesis)
  expect(await query("SELECT to_regclass('kept') AS kept")).toEqual([{ kept: null }])
})
