import { Interface, ZeroAddress } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { guarded } from '../../../src/auctions/guards.ts'
import { toSettlementPlan } from '../../../src/auctions/settlement-calldata.ts'
import { revertDataText } from '../../../src/chain/rpc/revert.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { encodeSettle } from '../../../src/chain/settlement/call.ts'
import { allowSolvers } from '../../../src/dev/market/market.ts'
import type { Solution } from '../../../src/domain/auction/solution.ts'
import { type Address, nativeMarker } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import type { Network } from '../../../src/domain/network/network.ts'
import type { Interaction } from '../../../src/domain/order/order.ts'
import {
  balanceCheck,
  balanceNote,
  hooksCall,
  transferCall,
} from '../../../src/domain/settlement/calldata.ts'
import { numbered, sampleAuction } from '../../fakes/order.ts'
import { startTestChain, type TestChain } from '../../setup/chain.ts'

const thief = numbered('7e')
const errors = new Interface([
  'error NotNoted(address token)',
  'error NotRead(address token)',
  'error TooLittle(address token, uint256 missing)',
])
const erc20 = new Interface(['function balanceOf(address) view returns (uint256)'])
/** What fees left in the settlement contract before. */
const before = 1_000n
const fee = 50n

let chain: TestChain
let network: Network
let guard: Address
let token: Address
let other: Address
let solver: Address
let trader: Address

beforeAll(async () => {
  chain = await startTestChain()
  const { rpc, market } = chain
  network = market.network
  guard = network.balanceGuard ?? expect.fail('the local chain has none')
  token = market.tokens.USDC.address
  other = market.tokens.DAI.address
  const account = market.outsideSolvers[0] ?? expect.fail()
  solver = account.address
  trader = market.accounts[0]?.address ?? expect.fail()
  await allowSolvers(rpc, [account])
  await rpc.call('anvil_impersonateAccount', [solver])
  // The tests make the blocks.
  await rpc.call('evm_setIntervalMining', [0])
  for (const one of [token, other]) await mined([send(trader, transferCall(one, network.settlement, before))])
  await rpc.call('anvil_setBalance', [network.settlement, toQuantity(before)])
})
afterAll(() => chain?.[Symbol.asyncDispose]())

type Stages = readonly [readonly Interaction[], readonly Interaction[], readonly Interaction[]]

const settleCall = (interactions: Stages): Interaction => ({
  target: network.settlement,
  value: 0n,
  callData: encodeSettle({ tokens: [], clearingPrices: [], trades: [], auctionId: 1n, interactions }),
})

const send = (from: Address, { target: to, callData: data }: Interaction, gasPrice = 10n ** 10n) =>
  chain.rpc.call<Hex>('eth_sendTransaction', [
    { from, to, data, gas: toQuantity(3_000_000), gasPrice: toQuantity(gasPrice) },
  ])

interface Receipt {
  status: string
  blockNumber: string
  transactionIndex: string
}

/** In one block. */
async function mined(sent: Promise<Hex>[]): Promise<Receipt[]> {
  const hashes = await Promise.all(sent)
  await chain.rpc.call('evm_mine')
  return Promise.all(hashes.map((hash) => chain.rpc.call<Receipt>('eth_getTransactionReceipt', [hash])))
}

async function held(one: Address, owner = network.settlement): Promise<bigint> {
  const data = erc20.encodeFunctionData('balanceOf', [owner])
  return BigInt(await chain.rpc.call<string>('eth_call', [{ to: one, data }, 'latest']))
}

/** The error of a settlement with these calls, `passes` without one. */
async function outcome(...calls: Interaction[]): Promise<string | unknown[]> {
  const { target: to, callData: data } = settleCall([[], calls, []])
  const [response] = await chain.rpc.batch([
    { method: 'eth_call', params: [{ from: solver, to, data }, 'latest'] },
  ])
  if (!response || !('error' in response)) return 'passes'
  const revert = String((response.error as { data?: unknown }).data)
  const error = errors.parseError(revert)
  return error
    ? [error.name, ...error.args.map((value) => (typeof value === 'string' ? value.toLowerCase() : value))]
    : revert
}

const note = (...tokens: Address[]) => balanceNote(guard, tokens)
const check = (...least: [Address, bigint][]) => balanceCheck(guard, least)
const pay = (amount: bigint, one = token) => transferCall(one, thief, amount)

describe('the guard contract', () => {
  test('reverts with the token and what is missing', async () => {
    expect(await outcome(note(token, other), check([token, 0n], [other, 0n]))).toBe('passes')
    expect(await outcome(note(token, other), pay(7n, other), check([token, 0n], [other, 0n]))).toEqual([
      'TooLittle',
      other,
      7n,
    ])
  })

  test('demands what is to stay, and permits what may be missing', async () => {
    expect(await outcome(note(token), check([token, 3n]))).toEqual(['TooLittle', token, 3n])
    expect(await outcome(note(token), pay(3n), check([token, -3n]))).toBe('passes')
    expect(await outcome(note(token), pay(4n), check([token, -3n]))).toEqual(['TooLittle', token, 1n])
    expect(await outcome(note(token), pay(before), check([token, -2n * before]))).toBe('passes')
    for (const extreme of [-(2n ** 255n), 2n ** 255n - 1n])
      expect(await outcome(note(token), check([token, extreme]))).not.toBe('passes')
  })

  test('the native coin counts by its marker', async () => {
    const coins = { target: thief, value: 5n, callData: '0x' } as const
    expect(await outcome(note(nativeMarker), check([nativeMarker, 0n]))).toBe('passes')
    expect(await outcome(note(nativeMarker), coins, check([nativeMarker, 0n]))).toEqual([
      'TooLittle',
      nativeMarker,
      5n,
    ])
  })

  test('what was not noted is not checked, and a note is checked once', async () => {
    const notNoted = ['NotNoted', token]
    expect(await outcome(check([token, 0n]))).toEqual(notNoted)
    expect(await outcome(note(other), check([token, 0n]))).toEqual(notNoted)
    expect(await outcome(note(token), check([token, 0n]), check([token, 0n]))).toEqual(notNoted)
  })

  test('a second note does not lower the first', async () => {
    expect(await outcome(note(token), pay(9n), note(token), check([token, 0n]))).toEqual([
      'TooLittle',
      token,
      9n,
    ])
  })

  test('another caller changes nothing of it', async () => {
    const asOther = hooksCall(
      network.hooksTrampoline,
      [note(token), check([token, 0n])].map(({ target, callData }) => ({
        target,
        callData,
        gasLimit: 200_000n,
      })),
    )
    expect(await outcome(note(token), pay(9n), asOther, check([token, 0n]))).toEqual(['TooLittle', token, 9n])
    expect(await outcome(note(token), asOther, check([token, 0n]))).toBe('passes')
  })

  test('what does not answer as a token is no token', async () => {
    expect(await outcome(note(ZeroAddress as Address))).toEqual(['NotRead', ZeroAddress])
    expect(await outcome(note(network.poolFactory))).toEqual(['NotRead', network.poolFactory])
  })

  test('a note ends with its transaction', async () => {
    const [noted] = await mined([send(solver, settleCall([[note(token)], [], []]))])
    expect(noted?.status).toBe('0x1')
    expect(await outcome(check([token, 0n]))).toEqual(['NotNoted', token])
  })
})

/** A solution that takes as much as the fees of the settlement before it, with its guards. */
async function taking(
  over: Pick<Network, 'settlement' | 'balanceGuard'>,
  taken: bigint,
): Promise<Interaction> {
  const solution: Solution = {
    solver,
    executions: [],
    score: 1n,
    pairScores: new Map(),
    proposal: { prices: new Map(), trades: [], interactions: [pay(taken)], gas: 100_000n },
  }
  const balances = new Map([[token, await held(token)] as const])
  const safe = guarded(solution, [], balances, over)
  return settleCall(toSettlementPlan(sampleAuction([]), safe, network.wrappedNative).interactions)
}

/** The settlement before it leaves fees; both are in one block. */
async function race(over: Pick<Network, 'settlement' | 'balanceGuard'>, taken: bigint) {
  const [left, stolen] = [await held(token), await held(token, thief)]
  const second = await taking(over, taken)
  const [first, liar] = await mined([
    send(trader, transferCall(token, network.settlement, fee), 2n * 10n ** 10n),
    send(solver, second),
  ])
  expect(liar?.blockNumber).toBe(first?.blockNumber)
  expect([first?.transactionIndex, liar?.transactionIndex]).toEqual(['0x0', '0x1'])
  return {
    passes: liar?.status === '0x1',
    kept: (await held(token)) - left,
    stolen: (await held(token, thief)) - stolen,
  }
}

test('a solver reads in words what would be missing', () => {
  const data = errors.encodeErrorResult('TooLittle', [token, 7n]) as Hex
  expect(revertDataText(data)).toBe(`the balance of ${token} would be 7 less than it must be`)
})

describe('fees that another settlement leaves in the same block, after the solution arrived', () => {
  test('stay where the network has a guard contract', async () => {
    expect(await race(network, fee)).toEqual({ passes: false, kept: fee, stolen: 0n })
    expect(await race(network, 1n)).toEqual({ passes: false, kept: fee, stolen: 0n })
    expect(await race(network, 0n)).toEqual({ passes: true, kept: fee, stolen: 0n })
  })

  test('can be taken where it has none, and not more', async () => {
    const { settlement } = network
    expect(await race({ settlement }, fee)).toEqual({ passes: true, kept: 0n, stolen: fee })
    expect(await race({ settlement }, fee + 1n)).toEqual({ passes: false, kept: fee, stolen: 0n })
  })
})
