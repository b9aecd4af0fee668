import { Interface, Wallet } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxUint256 } from '../../src/domain/amount.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { orderTypes } from '../../src/domain/signing/signing.ts'
import { impersonate, readArtifact } from '../chain/contracts.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// A token without decimals in a pool of 500 units and 2,000 coins: a unit is worth four coins.
const ether = 10n ** 18n
const [units, coins] = [500n, 2_000n * ether]
const tokenAbi = new Interface([...readArtifact('TestToken').abi, 'function deposit() payable'])
const poolAbi = new Interface(readArtifact('Pool').abi)
const factoryAbi = new Interface(readArtifact('PoolFactory').abi)

let world: World
let bank: Address
let unit: Address
beforeAll(async () => {
  world = await startWorld({ environment: { FEE_POLICIES: '[]' } })
  bank = address(world.market.accounts[4]?.address ?? '')
  const { network, tokens } = world.market
  await world.chain.rpc.call('anvil_setBalance', [bank, `0x${(10_000n * ether).toString(16)}`])
  const { bytecode } = readArtifact('TestToken')
  const made = await send(bank, undefined, bytecode + tokenAbi.encodeDeploy(['Unit', 'UNIT', 0]).slice(2))
  unit = address(made.contractAddress)
  await send(bank, tokens.WETH.address, encoded('deposit'), coins)
  await send(
    bank,
    network.poolFactory,
    factoryAbi.encodeFunctionData('createPair', [unit, tokens.WETH.address]),
  )
  const getPair = factoryAbi.encodeFunctionData('getPair', [unit, tokens.WETH.address])
  const pool = address(`0x${(await call(network.poolFactory, getPair)).slice(-40)}`)
  await send(bank, unit, encoded('mint', pool, units))
  await send(bank, tokens.WETH.address, encoded('transfer', pool, coins))
  await send(bank, pool, poolAbi.encodeFunctionData('mint', [bank]))
})
afterAll(() => world?.[Symbol.asyncDispose]())

const encoded = (method: string, ...values: unknown[]) => tokenAbi.encodeFunctionData(method, values)

const call = (to: Address, data: string) => world.chain.rpc.call<string>('eth_call', [{ to, data }, 'latest'])

async function send(from: Address, to: Address | undefined, data: string, value = 0n) {
  const { rpc } = world.chain
  const sent = { from, ...(to && { to }), data, gas: '0x500000', value: `0x${value.toString(16)}` }
  const hash = await rpc.call<Hex>('eth_sendTransaction', [sent])
  const receipt = await eventually('it is mined', () =>
    rpc.call<{ status: Hex; contractAddress: string } | null>('eth_getTransactionReceipt', [hash]),
  )
  if (receipt?.status !== '0x1') throw new Error(`${hash} failed`)
  return receipt
}

const balance = async (token: Address, holder: Address) =>
  BigInt(await call(token, encoded('balanceOf', holder)))

/** Trades an order of a new account that has so many units. */
async function trade(kind: 'sell' | 'buy', sellAmount: bigint, buyAmount: bigint) {
  const { network, tokens } = world.market
  const base = `${world.url}/${network.name}/api/v1`
  const signer = new Wallet(keccakText(`${kind} ${sellAmount} ${buyAmount}`))
  const owner = address(signer.address)
  await impersonate(world.chain.rpc, owner)
  await send(bank, unit, encoded('mint', owner, sellAmount))
  await send(owner, unit, encoded('approve', network.vaultRelayer, maxUint256))
  const pair = { sellToken: unit, buyToken: tokens.WETH.address }
  const order = {
    ...pair,
    receiver: owner,
    sellAmount: `${sellAmount}`,
    buyAmount: `${buyAmount}`,
    validTo: Math.floor(Date.now() / 1_000) + 3_600,
    appData: keccakText('{}'),
    feeAmount: '0',
    kind,
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const { chainId, settlement: verifyingContract } = network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract }
  const signature = await signer.signTypedData(domain, orderTypes, order)
  const size =
    kind === 'sell' ? { sellAmountBeforeFee: `${sellAmount}` } : { buyAmountAfterFee: `${buyAmount}` }
  const quoted = await request(`${base}/quote`, 'POST', { ...pair, kind, from: owner, ...size })
  expect(quoted.status).toBe(200)
  const heldBefore = await Promise.all(
    [unit, tokens.WETH.address].map((token) => balance(token, verifyingContract)),
  )
  const { status, body: uid } = await request(`${base}/orders`, 'POST', {
    ...order,
    appData: '{}',
    appDataHash: order.appData,
    from: owner,
    signingScheme: 'eip712',
    signature,
  })
  expect([status, uid]).toEqual([201, expect.any(String)])
  const body = await eventually('it is filled', async () => {
    const answer = await request(`${base}/orders/${uid}`)
    return answer.body.status === 'fulfilled' && answer.body
  })
  const held = await Promise.all(
    [unit, tokens.WETH.address].map((token) => balance(token, verifyingContract)),
  )
  return {
    quote: quoted.body.quote,
    body,
    got: await balance(tokens.WETH.address, owner),
    left: await balance(unit, owner),
    kept: held.map((amount, index) => amount - (heldBefore[index] ?? 0n)),
    gasCost: BigInt(quoted.body.quote.gasAmount ?? 0) * BigInt(quoted.body.quote.gasPrice ?? 0),
  }
}

test('units trade for a fee in coins that is less than twice the gas, and all of it is shown', async () => {
  const WETH = world.market.tokens.WETH.address
  const price = await request(`${world.url}/${world.market.network.name}/api/v1/token/${unit}/native_price`)
  // Native atoms for an atom: four coins less the pool's fee.
  expect(price.body.price / 4e18).toBeCloseTo(0.997, 2)
  for (const [kind, sold, bought, paid] of [
    ['buy', 4n, 6n * ether, 2n],
    ['sell', 3n, 11n * ether, 3n],
    ['buy', 2n, (7n * ether) / 2n, 1n],
  ] as const) {
    const { quote, body, got, left, kept, gasCost } = await trade(kind, sold, bought)
    expect([BigInt(quote.feeAmount), BigInt(quote.sellAmount)]).toEqual([0n, paid])
    expect(left).toBe(sold - paid)
    expect([BigInt(body.executedSellAmount), BigInt(body.executedBuyAmount)]).toEqual([paid, got])
    if (kind === 'buy') expect(got).toBe(bought)
    expect(body.executedFeeToken).toBe(WETH)
    expect(kept).toEqual([0n, BigInt(body.executedFee)])
    expect(kept[1] !== undefined && kept[1] > 0n && kept[1] < 2n * gasCost).toBe(true)
  }
})
