import { computeAddress, Interface, SigningKey } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createOrderCheck, type OrderQuestion } from '../../../src/chain/order/order-check.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { settlementDeployments } from '../../../src/dev/chain/settlement-contracts.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { hooksCall } from '../../../src/domain/settlement/calldata.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { codeReturning, createNetwork, type Evm, startEvm } from '../../setup/evm.ts'
import {
  type DeployedToken,
  deployToken,
  frozenToken,
  hostileWallets,
  impersonate,
  permitHook,
  putTrampoline,
  putWallet,
  readArtifact,
  validBefore,
  validFor,
  wordyWallet,
} from '../contracts.ts'
import { type Behaviour, forwardingTo, refusing, startScriptedNode } from '../scripted-node.ts'

const network = createNetwork({
  settlement: address('0x9008D19f58AAbD9eD0D60971565AA8510560ab41'),
  vaultRelayer: address('0xC92E8bdf79f0507f65a392b0ab4667716BFE0110'),
  hooksTrampoline: address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006'),
})
const { vaultRelayer, hooksTrampoline } = network
const limits = { signatureGas: 1_000_000n, interactionGas: 2_000_000n, atOnce: 4 }
const key = new SigningKey(`0x${'07'.repeat(32)}`)
const owner = address(computeAddress(key))
const wallet = address('0x1000000000000000000000000000000000000002')
const digest: Hex = `0x${'d1'.repeat(32)}`
const signature = { digest, bytes: key.sign(digest).serialized as Hex }

let evm: Evm
let token: DeployedToken

beforeAll(async () => {
  evm = await startEvm()
  for (const deployment of settlementDeployments()) await evm.send(deployment)
  await putTrampoline(evm.rpc, hooksTrampoline, network.settlement)
  await putWallet(evm.rpc, wallet, owner)
  token = await deployToken(evm)
  for (const account of [owner, wallet]) {
    await impersonate(evm.rpc, account)
    await token.write('mint', [account, 100n])
  }
  await token.write('approve', [vaultRelayer, 60n], wallet)
})
afterAll(() => evm[Symbol.asyncDispose]())

const check = (question: Partial<OrderQuestion>) =>
  createOrderCheck({ rpc: evm.rpc, network, limits })({
    owner: wallet,
    sellToken: token.address,
    amount: 60n,
    preInteractions: [],
    ...question,
  })
const putCode = async (code: Hex) => {
  const at = address(`0x2${Math.random().toString(16).slice(2).padEnd(39, '0').slice(0, 39)}`)
  await evm.rpc.call('anvil_setCode', [at, code])
  return at
}

describe('funds', () => {
  test('are enough for an order that can be paid', async () => {
    expect(await check({})).toEqual({
      balance: 100n,
      allowance: 60n,
      transfer: 'ok',
      signature: 'unasked',
      signatureGas: 0n,
      ownerHasCode: true,
      exhausted: false,
    })
    expect(await token.read('balanceOf', [wallet])).toBe(100n)
  })

  test('that do not suffice are reported', async () => {
    expect(await check({ amount: 61n })).toMatchObject({
      allowance: 60n,
      transfer: { revert: /^0x08c379a0/ },
    })
    expect(await check({ owner })).toMatchObject({ balance: 100n, allowance: 0n, ownerHasCode: false })
  })

  test('in a token that takes a transfer fee can be transferred', async () => {
    const feeToken = await deployToken(evm, 'FeeToken')
    await feeToken.write('mint', [wallet, 100n])
    await feeToken.write('approve', [vaultRelayer, 100n], wallet)
    expect(await check({ sellToken: feeToken.address, amount: 100n })).toMatchObject({ transfer: 'ok' })
  })

  test('in a token that refuses the transfer are reported with its revert reason', async () => {
    const sellToken = await putCode(frozenToken(0xdeadn))
    const { balance, transfer } = await check({ sellToken })
    expect([balance, transfer]).toEqual([2n ** 256n - 1n, { revert: `0x${'dead'.padStart(64, '0')}` }])
    const talkative = await putCode(frozenToken(0xdeadn, 10_000))
    const revert = `0x${'dead'.padStart(64, '0').padEnd(512, '0')}`
    expect((await check({ sellToken: talkative })).transfer).toEqual({ revert })
  })

  test.each([
    ['has no code', undefined],
    ['uses up its gas', '0xfe'],
    ['returns less than a word', '0x60016000f3'],
  ] as const)('in a token that %s are nothing', async (_, code) => {
    const sellToken = code ? await putCode(code) : address(`0x${'0b'.repeat(20)}`)
    expect(await check({ sellToken, signature })).toMatchObject({
      balance: 0n,
      allowance: 0n,
      transfer: { revert: expect.anything() },
      signature: 'valid',
    })
  })
})

describe('hooks', () => {
  const permit = (value: bigint) =>
    permitHook({ chainId: 31337, token: token.address }, key, vaultRelayer, value)
  const mint = (gasLimit: bigint) => ({
    target: token.address,
    callData: new Interface(readArtifact('TestToken').abi).encodeFunctionData('mint', [owner, 5n]) as Hex,
    gasLimit,
  })
  const hostile = async () => ({ target: await putCode('0xfe'), callData: '0x' as const, gasLimit: 100_000n })

  test('run first: an approval by permit counts for the transfer', async () => {
    const preInteractions = [hooksCall(hooksTrampoline, [permit(80n)])]
    expect(await check({ owner, amount: 80n, preInteractions })).toMatchObject({
      allowance: 80n,
      transfer: 'ok',
    })
    expect(await token.read('allowance', [owner, vaultRelayer])).toBe(0n)
  })

  test('that fail, or have too little gas of their own, do not affect the others', async () => {
    const preInteractions = [
      hooksCall(hooksTrampoline, [await hostile(), mint(5_000n), permit(7n), mint(60_000n)]),
    ]
    expect(await check({ owner, preInteractions })).toMatchObject({ balance: 105n, allowance: 7n })
  })

  test('may use the gas limit of the order, and no more', async () => {
    const needing = async (gasLimit: bigint) => {
      const preInteractions = [hooksCall(hooksTrampoline, [mint(gasLimit)])]
      return (await check({ owner, preInteractions, signature })).balance
    }
    expect(await needing(limits.interactionGas)).toBe(105n)
    expect(await needing((limits.interactionGas * 11n) / 10n)).toBe(100n)
  })

  test('may only be run by the settlement contract', async () => {
    const { target: to, callData: data } = hooksCall(hooksTrampoline, [mint(60_000n)])
    await expect(evm.rpc.call('eth_call', [{ from: owner, to, data }])).rejects.toThrow('not a settlement')
    await evm.rpc.call('eth_call', [{ from: network.settlement, to, data }])
  })
})

describe('the signature of a contract wallet', () => {
  const other = { ...signature, digest: `0x${'d2'.repeat(32)}` as Hex }

  test('is valid for what its owner signed, and its gas is measured', async () => {
    const answer = await check({ signature })
    expect(answer).toMatchObject({ signature: 'valid', balance: 100n, transfer: 'ok' })
    expect(answer.signatureGas).toBeGreaterThan(3_000n)
    expect(answer.signatureGas).toBeLessThan(20_000n)
    expect((await check({ signature: other })).signature).toBe('invalid')
  })

  test.each(Object.entries(hostileWallets))(
    'that %s is invalid, without affecting the other results',
    async (_, code) => {
      const hostile = await putCode(code)
      await token.write('mint', [hostile, 9n])
      expect(await check({ owner: hostile, signature })).toMatchObject({
        signature: 'invalid',
        ownerHasCode: true,
        exhausted: false,
        balance: 9n,
      })
    },
  )

  test('is checked with a gas limit', async () => {
    const { signatureGas } = await check({ owner: await putCode('0xfe'), signature })
    expect(signatureGas).toBeGreaterThan(limits.signatureGas)
    expect(signatureGas).toBeLessThan(limits.signatureGas + 10_000n)
  })

  test('of an account without code is invalid', async () => {
    const answer = await check({ owner, signature })
    expect(answer).toMatchObject({ signature: 'invalid', ownerHasCode: false, exhausted: false })
  })

  test('is checked from the settlement contract, whose own code stays in place', async () => {
    const bySettlement = await check({ owner: await putCode(validFor(network.settlement)), signature })
    expect(bySettlement.signature).toBe('valid')
    expect((await check({ owner: await putCode(validFor(owner)), signature })).signature).toBe('invalid')
  })

  test('may return more than one word', async () => {
    expect((await check({ owner: await putCode(wordyWallet), signature })).signature).toBe('valid')
  })

  test('stays valid until the wallet rejects it', async () => {
    const { number } = await evm.rpc.call<{ number: Hex }>('eth_getBlockByNumber', ['latest', false])
    const fickle = await putCode(validBefore(Number(number) + 2))
    expect((await check({ owner: fickle, signature })).signature).toBe('valid')
    await evm.mine(3)
    expect((await check({ owner: fickle, signature })).signature).toBe('invalid')
  })

  test('is checked after the pre-hooks: the settlement may close its own wallet, and no other', async () => {
    const closing = new Interface(readArtifact('ContractWallet').abi).encodeFunctionData('close') as Hex
    const preInteractions = [{ target: wallet, value: 0n, callData: closing }]
    expect((await check({ signature, preInteractions })).signature).toBe('valid')
    const owned = address('0x1000000000000000000000000000000000000003')
    await putWallet(evm.rpc, owned, network.settlement)
    const mine = [{ ...preInteractions[0], target: owned, value: 0n, callData: closing }]
    expect((await check({ owner: owned, signature, preInteractions: mine })).signature).toBe('invalid')
  })
})

describe('a node', () => {
  const question = { owner: wallet, sellToken: owner, amount: 1n, preInteractions: [], signature }
  const askNode = (node: { url: string }, timeoutMs = 100) =>
    createOrderCheck({
      rpc: createRpc({ url: node.url, log: silentLog, timeoutMs, retries: 0 }),
      network,
      limits,
    })(question)
  /** Long enough for a busy machine. */
  const enoughForRealCallMs = 2_000
  /** The answer of the real chain to a call without the checking code. */
  const forwarding = forwardingTo((method, params) => evm.rpc.call(method, params))

  test.each<[string, Behaviour]>([
    ['is silent', 'silence'],
    ['hangs up', 'hang up'],
    ['returns invalid data', { answer: () => ({ result: '0x1234' }) }],
    ['answers with nothing', { answer: () => ({ result: '0x' }) }],
    ['is overloaded', { status: 503 }],
    ['does not know the call', refusing('too many arguments, want at most 2')],
    ['refuses', refusing('header not found')],
    ['fails every call', refusing('execution reverted')],
  ])('that %s is an outage', async (_, behaviour) => {
    await using node = await startScriptedNode(behaviour)
    await expect(askNode(node)).rejects.toThrow(Outage)
    expect(node.requests.length).toBeLessThan(3)
  })

  test.each<[string, Behaviour]>([
    ['hangs up', 'hang up'],
    ['is overloaded', { status: 503 }],
    ['refuses', refusing('header not found')],
  ])('that %s once is retried, and the order is not blamed', async (_, behaviour) => {
    await using node = await startScriptedNode(behaviour, forwarding)
    await expect(askNode(node, enoughForRealCallMs)).rejects.toThrow(Outage)
    expect(await askNode(node, enoughForRealCallMs)).toMatchObject({ signature: 'valid', exhausted: false })
  })

  test.each<[string, Behaviour]>([
    ['keeps it too long', 'silence'],
    ['gives up on it', refusing('execution aborted (timeout = 5s)')],
    ['has less gas than was asked for', refusing('out of gas')],
  ])('that answers, but %s, blames the order', async (_, behaviour) => {
    await using node = await startScriptedNode(behaviour, forwarding)
    const answer = await askNode(node, enoughForRealCallMs)
    expect(answer).toMatchObject({ signature: 'invalid', exhausted: true, signatureGas: 0n })
    expect(node.requests).toHaveLength(2)
  })
})

test('code that answers every call with one word does not pass as the checking code', async () => {
  const elsewhere = address(`0x${'5e'.repeat(20)}`)
  await evm.rpc.call('anvil_setCode', [elsewhere, codeReturning(1n)])
  const checkOrder = createOrderCheck({
    rpc: evm.rpc,
    network: { ...network, settlement: elsewhere },
    limits,
  })
  await expect(checkOrder({ owner, sellToken: owner, amount: 1n, preInteractions: [] })).rejects.toThrow(
    Outage,
  )
})
