import { Interface, id } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { type TokenSymbol, tokenSymbols } from '../../src/dev/market/market.ts'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { createOwnHolders } from '../../src/tokens/own-holders.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

const abi = new Interface([
  'function transfer(address to, uint256 value)',
  'function mint(address to, uint256 value)',
  'function deposit() payable',
  'function withdraw(uint256 value)',
  'function balanceOf(address) view returns (uint256)',
  'function totalSupply() view returns (uint256)',
])

let world: World
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
})
afterAll(() => world?.[Symbol.asyncDispose]())

/** A seeded generator: the same numbers on every run. */
function createDice(seed: string) {
  let state = id(seed)
  return (below: number): number => {
    state = id(state)
    return Number(BigInt(state) % BigInt(below))
  }
}
const roll = createDice('holders')

const recipients = Array.from({ length: 12 }, (_, index) =>
  address(`0x${(index + 0xe0).toString(16).repeat(20)}`),
)

/** A random action on a token; many revert for want of funds. */
function randomDeed() {
  const { accounts, tokens } = world.market
  const from = accounts[roll(accounts.length)]?.address ?? zeroAddress
  const symbol = tokenSymbols[roll(tokenSymbols.length)] ?? 'WETH'
  const { address: to, decimals } = tokens[symbol]
  const amount = BigInt(roll(3_000)) * 10n ** BigInt(decimals) + BigInt(roll(1_000))
  const parties = [...accounts.map((account) => account.address), ...recipients, zeroAddress, to]
  const receiver = parties[roll(parties.length)] ?? zeroAddress
  const gas = toQuantity(150_000)
  const kind = roll(5)
  if (symbol === 'WETH' && kind === 0)
    return {
      from,
      to,
      gas,
      data: abi.encodeFunctionData('deposit'),
      value: toQuantity(BigInt(roll(9)) * 10n ** 18n),
    }
  if (symbol === 'WETH' && kind === 1)
    return { from, to, gas, data: abi.encodeFunctionData('withdraw', [amount / 100n]) }
  const verb = symbol !== 'WETH' && kind === 0 ? 'mint' : 'transfer'
  return { from, to, gas, data: abi.encodeFunctionData(verb, [receiver, amount]) }
}

/** @returns how many did not revert */
async function deeds(count: number): Promise<number> {
  const { rpc } = world.chain
  const calls = Array.from({ length: count }, () => ({
    method: 'eth_sendTransaction',
    params: [randomDeed()],
  }))
  const hashes = (await rpc.batch(calls)).flatMap((answer) => ('value' in answer ? [answer.value] : []))
  await eventually('everything is mined', async () => {
    await rpc.call('evm_mine')
    const { pending } = await rpc.call<{ pending: string }>('txpool_status')
    return Number(pending) === 0
  })
  const receipts = await rpc.batch(
    hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] })),
  )
  return receipts.filter(
    (answer) => 'value' in answer && (answer.value as { status: string } | null)?.status === '0x1',
  ).length
}

async function indexed(): Promise<void> {
  const { rpc } = world.chain
  await eventually('the index is level with the chain', async () => {
    const { hash } = await rpc.call<{ hash: string }>('eth_getBlockByNumber', ['latest', false])
    return (await findCheckpoint(world.database.db, world.market.network.chainId))?.hash === hash
  })
}

/** The balances of these holders on chain, followed by the token's total supply. */
async function onChain(token: Address, holders: readonly string[]): Promise<bigint[]> {
  const questions = [
    ...holders.map((holder) => ['balanceOf', [holder]] as const),
    ['totalSupply', []] as const,
  ]
  const calls = questions.map(([method, values]) => ({
    method: 'eth_call',
    params: [{ to: token, data: abi.encodeFunctionData(method, values) }, 'latest'],
  }))
  const answers = await world.chain.rpc.batch(calls)
  return answers.map((answer) => BigInt('value' in answer ? String(answer.value) : Number.NaN))
}

async function expectAsOnChain(symbol: TokenSymbol): Promise<void> {
  const { db } = world.database
  const { network, tokens } = world.market
  const token = tokens[symbol].address
  const head = async () => ({ number: Number(await world.chain.rpc.call('eth_blockNumber')) })
  const own = createOwnHolders({ name: 'own', network, db, head })
  const holders = (await own?.find(token, AbortSignal.timeout(5_000))) ?? []
  const balances = await onChain(token, [...holders.map((holder) => holder.address), zeroAddress])
  const supply = balances.pop()
  const destroyed = balances.pop() ?? 0n
  expect(holders.map(({ balance }) => balance)).toEqual(balances)
  // No holder is missing.
  expect(balances.reduce((total, balance) => total + balance, destroyed)).toBe(supply)
  expect(holders.length).toBeGreaterThan(5)
  const sorted = holders.toSorted((a, b) => (a.balance > b.balance ? -1 : 1))
  expect(holders).toEqual(sorted)
}

test('after a thousand transfers and a reorg the holders of every token match the chain', async () => {
  const { rpc } = world.chain
  const { tokens } = world.market
  await rpc.call('evm_setIntervalMining', [0])
  expect(await deeds(700)).toBeGreaterThan(300)
  const fork = await rpc.call('evm_snapshot')
  expect(await deeds(300)).toBeGreaterThan(100)
  await indexed()
  for (const symbol of tokenSymbols) await expectAsOnChain(symbol)
  const before = await findCheckpoint(world.database.db, world.market.network.chainId)

  await rpc.call('evm_revert', [fork])
  expect(await deeds(300)).toBeGreaterThan(100)
  await indexed()
  for (const symbol of tokenSymbols) await expectAsOnChain(symbol)
  // The other branch is gone, not only longer.
  expect(
    (await rpc.call<{ hash: string }>('eth_getBlockByNumber', [toQuantity(before?.number ?? 0), false]))
      ?.hash,
  ).not.toBe(before?.hash)

  for (const symbol of tokenSymbols) {
    const token = tokens[symbol].address
    const { status, body } = await request(`${world.url}/sepolia/tokens/${token}/topHolders`)
    expect(status).toBe(200)
    expect(body.length).toBeGreaterThan(5)
    const holders: { address: string; balance: string }[] = body
    const balances = await onChain(
      token,
      holders.map((holder) => holder.address),
    )
    expect(holders.map(({ balance }) => balance)).toEqual(balances.slice(0, -1).map(String))
  }
}, 120_000)
