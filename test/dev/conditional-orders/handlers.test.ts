import { AbiCoder, Interface, id as keccakOfText } from 'ethers'
import { beforeEach, expect, it } from 'vitest'
import { priceOracles, programmaticContracts } from '../../../src/dev/chain/programmatic-contracts.ts'
import { type Address, zeroAddress } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { encodeOrder } from '../../../src/domain/programmatic/encoded-order.ts'
import { composableCow } from '../../../src/domain/programmatic/handlers.ts'
import type { ConditionalOrderParams } from '../../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type StaticInput } from '../../../src/domain/programmatic/static-input.ts'
import { twapPart } from '../../../src/domain/programmatic/twap.ts'
import { orderDigest } from '../../../src/domain/signing/signing.ts'
import {
  calls,
  composable,
  onChain,
  pollErrors,
  scriptedAbi,
  walletCall,
} from '../../chain/conditional-stage.ts'
import { readArtifact } from '../../chain/contracts.ts'
import { appData, owner, paramsOf, scheduleOf, start, word } from '../../domain/programmatic/vectors.ts'
import { numbered } from '../../fakes/order.ts'
import { codeReturning } from '../../setup/evm.ts'

const chain = onChain(start - 1000)
const by = (data: string) => chain().send(owner, composableCow, data)
const coder = AbiCoder.defaultAbiCoder()
const [receiver, elsewhere] = [numbered('22'), numbered('c9')]
const { StopLoss, TradeAboveThreshold, GoodAfterTime, PerpetualStableSwap, Multicall3 } =
  programmaticContracts

/** Authorises an order, of the owner. */
async function authorised(handler: Address, staticInput: Hex): Promise<ConditionalOrderParams> {
  const params = { handler, salt: word(1), staticInput }
  await by(calls.create(params))
  return params
}
beforeEach(() => chain().rpc.call('anvil_setCode', [owner, codeReturning(1n)]))

it('a handler is refused for what it is', async () => {
  const none = calls.create({ ...paramsOf('A'), handler: zeroAddress })
  expect((await by(none)).status).toBe('0x0')
  expect(await chain().call(composableCow, none, owner)).toEqual({ revert: 'InvalidHandler()' })
  expect(await chain().poll(owner, await authorised(elsewhere, '0x')), 'no code').toBe('0x')

  const scripted = await chain().deployScripted()
  const params = await authorised(scripted, '0x')
  await chain().send(owner, scripted, scriptedAbi.encodeFunctionData('support', [false]))
  expect(await chain().poll(owner, params)).toBe('InterfaceNotSupported()')
  await chain().rpc.call('anvil_setCode', [scripted, '0x60006000fd'])
  expect(await chain().poll(owner, params)).toBe('InterfaceNotSupported()')
})

it('the answer of a handler is passed on unchanged', async () => {
  const scripted = await chain().deployScripted()
  const params = await authorised(scripted, '0x')
  const [returns, reverts, loops] = [0, 1, 2]
  const script = (act: number, data: string, zeros = 0) =>
    chain().send(owner, scripted, scriptedAbi.encodeFunctionData('script', [act, data, zeros]))
  const errors: [string, unknown[]][] = [
    ['PollTryAtBlock', [12n, 'later']],
    ['PollTryAtEpoch', [1_800_000_000n, 'too early']],
    ['PollTryNextBlock', ['soon']],
    ['PollNever', ['over']],
    ['OrderNotValid', ['no']],
  ]
  for (const [name, values] of errors) {
    await script(reverts, pollErrors.encodeErrorResult(name, values))
    expect(await chain().poll(owner, params)).toBe(`${name}(${values.join(', ')})`)
  }
  await script(reverts, '0x')
  expect(await chain().poll(owner, params)).toBe('0x')
  await script(reverts, '0x', 100_000)
  expect(await chain().poll(owner, params)).toBe(`0x${'00'.repeat(100_000)}`)
  await script(loops, '0x')
  const poll = { to: composableCow, data: calls.poll(owner, params), gas: '0xf4240' }
  await expect(chain().rpc.call('eth_call', [poll, 'latest'])).rejects.toThrow()

  const order = { ...partOf(0), kind: 'buy' as const, partiallyFillable: true, buyAmount: 7n }
  await script(returns, `0x${encodeOrder(order)}`, 64)
  const part = await chain().part(owner, params)
  expect(part.order).toEqual(order)
  // It verifies what it returns.
  const wallet = await chain().deploySafe(receiver)
  await chain().execute(receiver, wallet, [walletCall(composableCow, calls.create(params))])
  const { signature } = await chain().part(wallet, params)
  const verdict = (more: object) =>
    chain().verdict(wallet, orderDigest(chain().market.network, { ...order, ...more }), signature)
  expect(await verdict({})).toBe('0x1626ba7e')
  await script(returns, `0x${encodeOrder({ ...order, buyAmount: 8n })}`)
  expect(await verdict({})).toBe('OrderNotValid(invalid hash)')
})

const partOf = (index: number) => {
  const part = twapPart(scheduleOf('A'), index)
  if (!part) throw new Error('no such part')
  return part.order
}

it('a swap guard forbids parts until it is taken off', async () => {
  const params = paramsOf('A')
  const wallet = await chain().deployForwarder(owner)
  const byWallet = (data: string) => chain().execute(owner, wallet, [walletCall(composableCow, data)])
  const answers = (value: bigint) => chain().rpc.call('anvil_setCode', [elsewhere, codeReturning(value)])
  const guardedBy = (at: Address) => byWallet(composable.encodeFunctionData('setSwapGuard', [at]))
  await byWallet(calls.create(params))
  await chain().mineAt(start)
  const { order, signature } = await chain().part(wallet, params)
  const digest = orderDigest(chain().market.network, order)
  const outcome = async () => [
    await chain().poll(wallet, params),
    await chain().verdict(wallet, digest, signature),
  ]
  const allowed = [{ order: partOf(0), signature }, '0x1626ba7e']
  await answers(0n)
  const { logs } = await guardedBy(elsewhere)
  expect(logs.map((log) => composable.parseLog(log)?.name)).toEqual(['SwapGuardSet'])
  expect(await outcome()).toEqual(['SwapGuardRestricted()', 'SwapGuardRestricted()'])
  await answers(1n)
  expect(await outcome()).toEqual(allowed)
  await answers(0n)
  await guardedBy(zeroAddress)
  expect(await outcome()).toEqual(allowed)
})

it('a stop loss waits for prices that are known, fresh and at the strike', async () => {
  const input: StaticInput<'StopLoss'> = {
    sellToken: numbered('aa'),
    buyToken: numbered('bb'),
    sellAmount: 5n,
    buyAmount: 6n,
    appData,
    receiver,
    isSellOrder: false,
    isPartiallyFillable: true,
    validTo: start + 100,
    sellTokenPriceOracle: priceOracles.WETH,
    buyTokenPriceOracle: priceOracles.USDC,
    strike: 2_500n * 10n ** 18n,
    maxTimeSinceLastOracleUpdate: 60n,
  }
  const stopLoss = (change: Partial<typeof input> = {}) =>
    authorised(StopLoss, encodeStaticInput('StopLoss', { ...input, ...change }))
  const oracle = new Interface(readArtifact('PriceOracle').abi)
  const price = (dollars: bigint, updatedAt = 0) =>
    chain().send(owner, priceOracles.WETH, oracle.encodeFunctionData('set', [dollars * 10n ** 8n, updatedAt]))
  const params = await stopLoss()
  // The market's price is 3000 dollars.
  expect(await chain().poll(owner, params)).toBe('PollTryNextBlock(strike not reached)')
  await price(2_501n)
  expect(await chain().poll(owner, params)).toBe('PollTryNextBlock(strike not reached)')
  await price(2_500n)
  expect((await chain().part(owner, params)).order).toEqual({
    ...partOf(0),
    sellAmount: 5n,
    buyAmount: 6n,
    validTo: start + 100,
    kind: 'buy',
    partiallyFillable: true,
  })
  await price(0n)
  expect(await chain().poll(owner, params)).toBe('OrderNotValid(oracle invalid price)')
  await price(2_500n, start)
  await chain().mineAt(start + 60)
  await chain().part(owner, params)
  await chain().mineAt(start + 61)
  expect(await chain().poll(owner, params)).toBe('PollTryNextBlock(oracle stale price)')
  const forever = await stopLoss({ maxTimeSinceLastOracleUpdate: 2n ** 40n })
  expect(await chain().poll(owner, forever)).toBe('Panic(17)')
  await chain().mineAt(start + 101)
  expect(await chain().poll(owner, params)).toBe('OrderNotValid(order expired)')
})

it('handlers of balances sell all that the owner has', async () => {
  const { DAI, USDC } = chain().market.tokens
  const terms = { sellToken: DAI.address, buyToken: USDC.address, receiver, appData }
  const above = (validityBucketSeconds: number) =>
    authorised(
      TradeAboveThreshold,
      encodeStaticInput('TradeAboveThreshold', { ...terms, validityBucketSeconds, threshold: 10n ** 18n }),
    )
  const perpetual = await authorised(
    PerpetualStableSwap,
    encodeStaticInput('PerpetualSwap', {
      tokenA: DAI.address,
      tokenB: USDC.address,
      validityBucketSeconds: 900,
      halfSpreadBps: 10n,
      appData,
    }),
  )
  const params = await above(900)
  const noTime = await above(0)
  await chain().mint(DAI.address, owner, 10n ** 18n - 1n)
  await chain().mineAt(start + 899)
  expect(await chain().poll(owner, params)).toBe('PollTryNextBlock(balance insufficient)')
  await chain().mint(DAI.address, owner, 1n)
  const whole = {
    ...partOf(0),
    sellToken: DAI.address,
    buyToken: USDC.address,
    sellAmount: 10n ** 18n,
    validTo: start + 1800,
  }
  expect((await chain().part(owner, params)).order).toEqual({ ...whole, buyAmount: 1n })
  expect(await chain().poll(owner, noTime)).toBe('Panic(18)')

  const noReceiver = { ...whole, receiver: zeroAddress }
  expect((await chain().part(owner, perpetual)).order).toEqual({ ...noReceiver, buyAmount: 1_001_000n })
  // Worth the same: token B is sold.
  await chain().mint(USDC.address, owner, 1_000_000n)
  expect((await chain().part(owner, perpetual)).order).toEqual({
    ...noReceiver,
    sellToken: USDC.address,
    buyToken: DAI.address,
    sellAmount: 1_000_000n,
    buyAmount: 1001n * 10n ** 15n,
  })
  await chain().rpc.call('anvil_setCode', [receiver, codeReturning(1n)])
  await chain().send(receiver, composableCow, calls.create(perpetual))
  expect(await chain().poll(receiver, perpetual)).toBe('OrderNotValid(not funded)')
})

it('an order after a time needs its buy amount from the poller', async () => {
  const { DAI, USDC } = chain().market.tokens
  const input: StaticInput<'GoodAfterTime'> = {
    sellToken: DAI.address,
    buyToken: USDC.address,
    receiver,
    appData,
    sellAmount: 9n,
    minSellBalance: 10n,
    startTime: BigInt(start),
    endTime: BigInt(start + 500),
    allowPartialFill: true,
    priceCheckerPayload: '0x',
  }
  const after = (change: Partial<typeof input> = {}) =>
    authorised(GoodAfterTime, encodeStaticInput('GoodAfterTime', { ...input, ...change }))
  const params = await after()
  expect(await chain().poll(owner, params, [], word(8))).toBe(`PollTryAtEpoch(${start}, too early)`)
  await chain().mineAt(start)
  expect(await chain().poll(owner, params, [], word(8))).toBe('OrderNotValid(balance insufficient)')
  await chain().mint(DAI.address, owner, 10n)
  expect(await chain().poll(owner, params)).toBe('0x')
  expect((await chain().part(owner, params, [], word(8))).order).toEqual({
    ...partOf(0),
    sellToken: DAI.address,
    buyToken: USDC.address,
    sellAmount: 9n,
    buyAmount: 8n,
    validTo: start + 500,
    partiallyFillable: true,
  })
  // A checker that expects 1000, of which 1 % may be missing.
  await chain().rpc.call('anvil_setCode', [elsewhere, codeReturning(1000n)])
  const checked = await after({
    priceCheckerPayload: coder.encode(['address', 'bytes', 'uint256'], [elsewhere, '0x', 100]) as Hex,
  })
  expect(await chain().poll(owner, checked, [], word(989))).toBe('PollTryNextBlock(price checker failed)')
  expect((await chain().part(owner, checked, [], word(990))).order.buyAmount).toBe(990n)
})

it('many calls are one, and fail together unless a failure is allowed', async () => {
  const multicall = new Interface(readArtifact('Multicall3').abi)
  const results = async (method: string, items: unknown[][], value = '0x0') => {
    const call = { to: Multicall3, data: multicall.encodeFunctionData(method, [items]), value }
    const answer = await chain().rpc.call<Hex>('eth_call', [call, 'latest'])
    return multicall.decodeFunctionResult(method, answer)[0].map(String)
  }
  const separator = composable.encodeFunctionData('domainSeparator')
  const refused = calls.poll(owner, paramsOf('A'))
  const { data } = (await chain().call(composableCow, separator)) as { data: Hex }
  const outcome = [`true,${data}`, `false,${keccakOfText('SingleOrderNotAuthed()').slice(0, 10)}`]
  const plain = [composableCow, false, separator]
  expect(await results('aggregate3', [plain, [composableCow, true, refused]])).toEqual(outcome)
  const withValue = [composableCow, false, 0, separator]
  expect(await results('aggregate3Value', [withValue, [composableCow, true, 0, refused]])).toEqual(outcome)
  expect(await results('aggregate3Value', [[elsewhere, false, 1, '0x']], '0x1')).toEqual(['true,0x'])
  await expect(results('aggregate3', [plain, [composableCow, false, refused]])).rejects.toThrow('call failed')
  await expect(results('aggregate3Value', [withValue], '0x1')).rejects.toThrow('value mismatch')
})
