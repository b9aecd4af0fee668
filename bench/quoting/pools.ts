import { readFileSync } from 'node:fs'
import { AbiCoder, concat, getCreateAddress, Interface, toQuantity } from 'ethers'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { createStage, type Stage } from '../../src/dev/market/build.ts'
import type { Market } from '../../src/dev/market/market.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { createRandom } from '../database/subjects.ts'

/** A token that has a pool with at least one base token. */
export interface PricedToken {
  address: Address
  decimals: number
  /** The value of a whole token, in wei. */
  wei: bigint
}

interface Pool {
  sides: readonly [PricedToken, PricedToken]
  /** The value of each side, in wei. */
  depth: bigint
  /** The price's deviation in 1/10,000, so that routes differ. */
  skew: bigint
}

const ether = 10n ** 18n
/** The number of pools in the local market. */
const poolsOfMarket = 4
const dollarWei = ether / 3_000n
/** The maximum per block, by its gas limit. */
const createdPerBlock = 6
const calledPerBlock = 15

const factoryAbi = new Interface([
  'function createPair(address, address)',
  'function getPair(address, address) view returns (address)',
])
const poolAbi = new Interface(['function mint(address)'])
const tokenAbi = new Interface([
  'function mint(address to, uint256 value)',
  'function transfer(address to, uint256 value)',
])
const wrappedAbi = new Interface(['function deposit() payable'])

/** The builder, used by no other program: its token addresses follow from its first transactions. */
const builder = { address: address(`0x${'b1'.repeat(20)}`) }

/**
 * Adds tokens until there are `count` pools: each has one with WETH, USDC and DAI, at about the same price.
 * Mining is off.
 * @returns all tokens of the market
 */
export async function buildPools(rpc: Rpc, market: Market, count: number): Promise<PricedToken[]> {
  const bases = basesOf(market)
  const fresh = describeTokens(Math.max(0, Math.ceil((count - poolsOfMarket) / bases.length)))
  const pools = describePools(fresh, bases).slice(0, Math.max(0, count - poolsOfMarket))
  await rpc.call('anvil_impersonateAccount', [builder.address])
  await rpc.call('anvil_setBalance', [builder.address, toQuantity(10n ** 9n * ether)])
  const stage = createStage(rpc)
  const create = fresh.map(
    ({ decimals }, index) =>
      () =>
        createToken(stage, index, decimals),
  )
  await inBlocks(stage, createdPerBlock, create)
  await fillPools(rpc, stage, market, pools)
  await rpc.call('anvil_stopImpersonatingAccount', [builder.address])
  return [...bases, { ...market.tokens.COW, wei: ether / 10_000n }, ...fresh]
}

function basesOf({ tokens }: Market): PricedToken[] {
  return [
    { ...tokens.WETH, wei: ether },
    { ...tokens.USDC, wei: dollarWei },
    { ...tokens.DAI, wei: dollarWei },
  ]
}

function describeTokens(count: number): PricedToken[] {
  const random = createRandom(1)
  return Array.from({ length: count }, (_, nonce) => ({
    address: address(getCreateAddress({ from: builder.address, nonce })),
    decimals: [18, 18, 6, 8][nonce % 4] ?? 18,
    wei: BigInt(Math.round(1e18 * 10 ** -(nonce % 5) * (0.5 + random()))),
  }))
}

function describePools(tokens: readonly PricedToken[], bases: readonly PricedToken[]): Pool[] {
  const random = createRandom(2)
  return tokens.flatMap((token) =>
    bases.map((base) => ({
      sides: [token, base] as const,
      depth: BigInt(200 + Math.floor(random() * 4_800)) * ether,
      skew: BigInt(Math.floor(random() * 60) - 30),
    })),
  )
}

function createToken(stage: Stage, index: number, decimals: number): void {
  const { bytecode } = JSON.parse(readFileSync(artifact, 'utf8')) as { bytecode: string }
  const values = AbiCoder.defaultAbiCoder().encode(
    ['string', 'string', 'uint8'],
    [`Bench ${index}`, `B${index}`, decimals],
  )
  stage.send(builder, { data: concat([bytecode, values]) })
}

const artifact = new URL('../../src/dev/contracts/artifacts/TestToken.json', import.meta.url)

async function fillPools(rpc: Rpc, stage: Stage, market: Market, pools: readonly Pool[]): Promise<void> {
  const { poolFactory, wrappedNative } = market.network
  const pairOf = ({ sides: [one, other] }: Pool) => [one.address, other.address]
  const create = pools.map((pool) => () => {
    stage.send(builder, { to: poolFactory, data: factoryAbi.encodeFunctionData('createPair', pairOf(pool)) })
  })
  await inBlocks(stage, calledPerBlock, create)
  const answers = await rpc.batch(
    pools.map((pool) => ({
      method: 'eth_call',
      params: [{ to: poolFactory, data: factoryAbi.encodeFunctionData('getPair', pairOf(pool)) }, 'latest'],
    })),
  )
  const deposited = pools.reduce((sum, { depth }) => sum + 2n * depth, 0n)
  stage.send(builder, { to: wrappedNative, data: wrappedAbi.encodeFunctionData('deposit'), value: deposited })
  await stage.mine()

  const fill = pools.flatMap(({ sides: [token, base], depth, skew }, index) => {
    const answer = answers[index]
    if (!answer || 'error' in answer) throw new Error('a pool of the bench was not made')
    const pool = address(String(factoryAbi.decodeFunctionResult('getPair', String(answer.value))[0]))
    const give = (to: PricedToken, worth: bigint) => () => {
      const verb = to.address === wrappedNative ? 'transfer' : 'mint'
      const data = tokenAbi.encodeFunctionData(verb, [pool, amountWorth(to, worth)])
      stage.send(builder, { to: to.address, data })
    }
    const open = () => stage.send(builder, { to: pool, data: poolAbi.encodeFunctionData('mint', [pool]) })
    return [give(token, (depth * (10_000n + skew)) / 10_000n), give(base, depth), open]
  })
  await inBlocks(stage, calledPerBlock, fill)
}

/** Returns atoms with a value of `wei`. */
export function amountWorth({ decimals, wei }: PricedToken, worth: bigint): bigint {
  return (worth * 10n ** BigInt(decimals)) / wei
}

async function inBlocks(stage: Stage, size: number, sends: readonly (() => void)[]): Promise<void> {
  for (let start = 0; start < sends.length; start += size) {
    for (const send of sends.slice(start, start + size)) send()
    await stage.mine()
  }
}
