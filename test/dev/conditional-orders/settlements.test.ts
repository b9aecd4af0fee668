import { AbiCoder, Interface } from 'ethers'
import { expect, it } from 'vitest'
import { programmaticContracts } from '../../../src/dev/chain/programmatic-contracts.ts'
import { type Address, address, zeroAddress } from '../../../src/domain/evm/address.ts'
import { composableCow, extensibleFallbackHandler } from '../../../src/domain/programmatic/handlers.ts'
import type { ConditionalOrderParams } from '../../../src/domain/programmatic/params.ts'
import { encodeStaticInput, type TwapInput } from '../../../src/domain/programmatic/static-input.ts'
import { domainSeparator, orderDigest } from '../../../src/domain/signing/signing.ts'
import { calls, fallbackAbi, onChain, walletAbi, walletCall } from '../../chain/conditional-stage.ts'
import { readArtifact } from '../../chain/contracts.ts'
import { start, twapHandler, twapInput, word } from '../../domain/programmatic/vectors.ts'
import { numbered } from '../../fakes/order.ts'
import { codeReturning } from '../../setup/evm.ts'

const chain = onChain(start)
const receiver = numbered('22')
const part = { partSellAmount: 10n ** 18n, minPartLimit: 2_000_000n, n: 3n, t: 600n, span: 300n }
const person = () => chain().market.accounts[0]?.address ?? zeroAddress
const twap = (change: Partial<TwapInput> = {}): ConditionalOrderParams => ({
  handler: twapHandler,
  salt: word(1),
  staticInput: encodeStaticInput('TWAP', twapInput(change)),
})
const otherDigest = numbered('d1').padEnd(66, '0') as `0x${string}`

it.each<[string, refusal: string, () => Promise<Address>]>([
  ['a Safe', 'Error(GS026)', () => chain().deploySafe(person())],
  ['a forwarder', 'InvalidHash()', () => chain().deployForwarder(person())],
  ['a shed', 'InvalidHash()', () => buildShed(person())],
])('a part of %s settles inside its window, and not one block after it', async (_, refusal, build) => {
  const { tokens, network } = chain().market
  const wallet = await build()
  await chain().mint(tokens.DAI.address, wallet, 10n ** 19n)
  await chain().mint(tokens.USDC.address, network.settlement, 10n ** 9n)
  const params = twap({ ...part, sellToken: tokens.DAI.address, buyToken: tokens.USDC.address, t0: 0n })
  const setUp = [chain().approval(tokens.DAI.address), walletCall(composableCow, calls.createNow(params))]
  const from = (await chain().now()) + 10
  expect((await chain().execute(person(), wallet, setUp, from)).status).toBe('0x1')
  const { order, signature } = await chain().part(wallet, params)
  expect(order.validTo).toBe(from + 299)
  const digest = orderDigest(network, order)

  await chain().trying(async () => {
    await chain().execute(person(), wallet, [walletCall(composableCow, calls.remove(params))])
    expect((await chain().settle(wallet, order, signature)).status).toBe('0x0')
    expect(await chain().verdict(wallet, digest, signature)).toBe('SingleOrderNotAuthed()')
  })
  await chain().mineAt(from + 299)
  expect(await chain().verdict(wallet, digest, signature)).toBe('0x1626ba7e')
  expect(await chain().verdict(wallet, otherDigest, signature)).toBe(refusal)
  await chain().trying(async () => {
    expect((await chain().settle(wallet, order, signature, from + 300)).status).toBe('0x0')
    expect(await chain().verdict(wallet, digest, signature)).toBe('OrderNotValid(not within span)')
    await chain().mineAt(from + 600)
    expect(await chain().verdict(wallet, digest, signature)).toBe('OrderNotValid(invalid hash)')
  })

  // The last second before the window of the next part, and the last second of it.
  const next = await chain().trying(async () => {
    await chain().mineAt(from + 600)
    return chain().part(wallet, params)
  })
  expect((await chain().settle(wallet, next.order, next.signature, from + 599)).status).toBe('0x0')
  expect((await chain().settle(wallet, next.order, next.signature, from + 899)).status).toBe('0x1')
  expect(await chain().balance(tokens.DAI.address, wallet)).toBe(9n * 10n ** 18n)
  expect(await chain().balance(tokens.USDC.address, receiver)).toBe(part.minPartLimit)
})

it('a Safe verifies while its fallback handler and its verifier are set', async () => {
  const wallet = await chain().deploySafe(person())
  const domain = domainSeparator(chain().market.network)
  const run = async (data: string) => {
    const { status, logs } = await chain().execute(person(), wallet, [walletCall(wallet, data)])
    expect(status).toBe('0x1')
    return logs.map(({ address: emitter, topics, data }) => ({
      emitter: address(emitter),
      name: [fallbackAbi, walletAbi].map((abi) => abi.parseLog({ topics, data })?.name).find(Boolean),
    }))
  }
  const verifier = (at: Address) => run(fallbackAbi.encodeFunctionData('setDomainVerifier', [domain, at]))
  const fallback = (at: Address) => run(walletAbi.encodeFunctionData('setFallbackHandler', [at]))
  const params = twap()
  await chain().execute(person(), wallet, [walletCall(composableCow, calls.create(params))])
  const { order, signature } = await chain().part(wallet, params)
  const digest = orderDigest(chain().market.network, order)
  const verdict = () => chain().verdict(wallet, digest, signature)
  expect(await verdict()).toBe('0x1626ba7e')

  // Without a verifier the view answers, and the signature is one of the Safe's owner.
  expect(await verifier(zeroAddress)).toEqual([
    { emitter: extensibleFallbackHandler, name: 'RemovedDomainVerifier' },
  ])
  expect((await chain().part(wallet, params)).order).toEqual(order)
  expect(await verdict()).toBe('Error(GS026)')
  expect(await verifier(receiver)).toEqual([
    { emitter: extensibleFallbackHandler, name: 'AddedDomainVerifier' },
  ])
  expect(await verdict()).toBe('0x')
  expect(await verifier(composableCow)).toEqual([
    { emitter: extensibleFallbackHandler, name: 'ChangedDomainVerifier' },
  ])
  expect(await verdict()).toBe('0x1626ba7e')

  const compatible = address(`0x${'c0'.repeat(20)}`)
  await chain().rpc.call('anvil_setCode', [compatible, codeReturning(0n)])
  expect(await fallback(compatible)).toEqual([{ emitter: wallet, name: 'ChangedFallbackHandler' }])
  expect(await chain().poll(wallet, params)).toBe('InvalidFallbackHandler()')
  await fallback(zeroAddress)
  expect(await chain().poll(wallet, params)).toBe('0x')
  expect(await verdict()).toBe('0x')
  await fallback(extensibleFallbackHandler)
  expect(await verdict()).toBe('0x1626ba7e')

  // By itself alone.
  const data = fallbackAbi.encodeFunctionData('setDomainVerifier', [domain, zeroAddress])
  expect((await chain().send(person(), wallet, data)).status).toBe('0x0')
  expect((await chain().execute(receiver, wallet, [])).status).toBe('0x0')
  expect(await verdict()).toBe('0x1626ba7e')
})

async function buildShed(user: Address): Promise<Address> {
  const factory = new Interface(readArtifact('ShedFactory').abi)
  const at = programmaticContracts.ShedFactory
  const read = async (method: string, value: Address) => {
    const answer = await chain().call(at, factory.encodeFunctionData(method, [value]))
    return 'data' in answer ? address(`0x${answer.data.slice(-40)}`) : zeroAddress
  }
  const shed = await read('proxyOf', user)
  expect(await read('ownerOf', shed)).toBe(zeroAddress)
  const { logs } = await chain().send(receiver, at, factory.encodeFunctionData('build', [user]))
  expect(logs.map((log) => factory.parseLog(log)?.args.toArray())).toEqual([[user, shed].map(checksummed)])
  expect(await read('ownerOf', shed)).toBe(user)
  expect((await chain().send(receiver, at, factory.encodeFunctionData('build', [user]))).logs).toEqual([])
  return shed
}

const checksummed = (at: Address) =>
  AbiCoder.defaultAbiCoder().decode(['address'], AbiCoder.defaultAbiCoder().encode(['address'], [at]))[0]
