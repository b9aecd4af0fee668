import { AbiCoder, computeAddress, getCreate2Address, keccak256, SigningKey } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createAccountSignatureCheck } from '../../../src/chain/order/contract-signature.ts'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { codeReturning, type Evm, startEvm } from '../../setup/evm.ts'
import { hostileWallets, putWallet, readArtifact, validFor, wordyWallet } from '../contracts.ts'
import { type Behaviour, forwardingTo, refusing, startScriptedNode } from '../scripted-node.ts'
import { deployer, wrapSignature } from '../undeployed.ts'

const limits = { signatureGas: 1_000_000n, atOnce: 4 }
const key = new SigningKey(`0x${'07'.repeat(32)}`)
const owner = address(computeAddress(key))
const wallet = address('0x1000000000000000000000000000000000000002')
const digest: Hex = `0x${'d1'.repeat(32)}`
const signature = key.sign(digest).serialized as Hex
const otherSignature = new SigningKey(`0x${'08'.repeat(32)}`).sign(digest).serialized as Hex

let evm: Evm
beforeAll(async () => {
  evm = await startEvm()
  await putWallet(evm.rpc, wallet, owner)
})
afterAll(() => evm[Symbol.asyncDispose]())

const check = (account: Address, given: Hex) =>
  createAccountSignatureCheck({ rpc: evm.rpc, limits })({ account, digest, signature: given })
const putCode = async (code: Hex) => {
  const at = address(`0x2${Math.random().toString(16).slice(2).padEnd(39, '0').slice(0, 39)}`)
  await evm.rpc.call('anvil_setCode', [at, code])
  return at
}
/** An account that is not deployed yet, and the call that deploys it. */
function undeployed(salt: number) {
  const { bytecode } = readArtifact('ContractWallet')
  const initCode = `${bytecode}${AbiCoder.defaultAbiCoder().encode(['address'], [owner]).slice(2)}`
  const salted = `0x${salt.toString(16).padStart(64, '0')}`
  const account = address(getCreate2Address(deployer, salted, keccak256(initCode)))
  return { account, factoryCall: `${salted}${initCode.slice(2)}` as Hex }
}

describe('the code of an account', () => {
  test('decides whose signatures are valid', async () => {
    expect(await check(wallet, signature)).toBe('valid')
    expect(await check(wallet, otherSignature)).toBe('invalid')
    expect(await check(wallet, '0x')).toBe('invalid')
    expect(await check(await putCode(wordyWallet), '0x')).toBe('valid')
  })

  test('is also asked for an account with a key that delegates to code (EIP-7702)', async () => {
    const lent = await putCode(`0xef0100${wallet.slice(2)}`)
    expect(await check(lent, signature)).toBe('valid')
    expect(await check(lent, otherSignature)).toBe('invalid')
  })

  test('decides nothing when it is absent', async () => {
    expect(await check(owner, signature)).toBe('no-code')
    expect(await check(address('0x0000000000000000000000000000000000000001'), signature)).toBe('no-code')
  })

  test.each(Object.entries(hostileWallets))('that %s has not accepted the signature', async (_, code) => {
    expect(await check(await putCode(code), signature)).toBe('invalid')
  })

  test('gets all the gas that the limit allows', async () => {
    // Accepts where more gas than this is left.
    const greedy = (gas: number): Hex =>
      `0x62${gas.toString(16).padStart(6, '0')}5a11631626ba7e60e01b0260005260206000f3`
    expect(await check(await putCode(greedy(999_000)), signature)).toBe('valid')
    expect(await check(await putCode(greedy(1_000_000)), signature)).toBe('invalid')
  })

  test('sees a caller and an origin that do not reveal a simulation', async () => {
    const originIsNobody = `0x32157f1626ba7e${'00'.repeat(28)}0260005260206000f3` as const
    expect(await check(await putCode(originIsNobody), signature)).toBe('invalid')
    expect(await check(await putCode(validFor(address(`0x${'00'.repeat(20)}`))), signature)).toBe('invalid')
  })
})

describe('a signature that deploys its account', () => {
  test('is judged by the code that the factory deploys, and nothing is stored', async () => {
    const { account, factoryCall } = undeployed(1)
    expect(await check(account, wrapSignature(deployer, factoryCall, signature))).toBe('valid')
    expect(await check(account, wrapSignature(deployer, factoryCall, otherSignature))).toBe('invalid')
    expect(await check(account, signature)).toBe('no-code')
    expect(await evm.rpc.call('eth_getCode', [account, 'latest'])).toBe('0x')
  })

  test('is still judged when the account is deployed by then', async () => {
    const { account, factoryCall } = undeployed(2)
    await evm.send({ to: deployer, data: factoryCall })
    const useless = await putCode('0xfe')
    expect(await check(account, wrapSignature(deployer, factoryCall, signature))).toBe('valid')
    expect(await check(account, wrapSignature(useless, '0x', signature))).toBe('valid')
    expect(await check(account, wrapSignature(deployer, factoryCall, otherSignature))).toBe('invalid')
    expect(await check(account, signature)).toBe('valid')
  })

  test('is checked again after the preparation call if the account already exists', async () => {
    const isQuestion = '60003560e01c631626ba7e14601557'
    const ready = await putCode(
      `0x${isQuestion}6001600055005b6000547f1626ba7e${'00'.repeat(28)}0260005260206000f3`,
    )
    expect(await check(ready, signature)).toBe('invalid')
    expect(await check(ready, wrapSignature(ready, '0x', signature))).toBe('valid')
    expect(await check(ready, signature)).toBe('invalid')
  })

  test.each([
    ['uses up all gas', '0x5b600056'],
    ['reverts with 256 kilobytes', '0x620400006000fd'],
    ['returns a megabyte', '0x621000006000f3'],
    ['does nothing', '0x00'],
  ] as const)('whose factory %s, is invalid', async (_, code) => {
    const { account, factoryCall } = undeployed(3)
    const factory = await putCode(code)
    expect(await check(account, wrapSignature(factory, factoryCall, signature))).toBe('no-code')
    expect(await check(wallet, wrapSignature(factory, factoryCall, otherSignature))).toBe('invalid')
    expect(await check(wallet, wrapSignature(factory, factoryCall, signature))).toBe('valid')
  })

  test('for another account than the factory deploys is invalid', async () => {
    const { factoryCall } = undeployed(4)
    expect(await check(undeployed(5).account, wrapSignature(deployer, factoryCall, signature))).toBe(
      'no-code',
    )
  })

  test.each<[string, Hex]>([
    ['holds nothing', `0x${'6492'.repeat(16)}`],
    ['points outside itself', `0x${'ff'.repeat(96)}${'6492'.repeat(16)}`],
    ['ends early', `${wrapSignature(deployer, '0x', '0x').slice(0, 2 + 64 * 3)}${'6492'.repeat(16)}` as Hex],
  ])('that %s is invalid, without a request to the node', async (_, wrapped) => {
    expect(await check(wallet, wrapped)).toBe('invalid')
  })
})

describe('a node', () => {
  const askNode = (node: { url: string }, timeoutMs = 100) =>
    createAccountSignatureCheck({
      rpc: createRpc({ url: node.url, log: silentLog, timeoutMs, retries: 0 }),
      limits,
    })({ account: wallet, digest, signature })
  /** Long enough for a busy machine. */
  const enoughForRealCallMs = 2_000
  const forwarding = forwardingTo((method, params) => evm.rpc.call(method, params))

  test.each<[string, Behaviour]>([
    ['is silent', 'silence'],
    ['hangs up', 'hang up'],
    ['answers another number', { answer: () => ({ result: '0x3' }) }],
    ['answers with nothing', { answer: () => ({ result: '0x' }) }],
    ['is overloaded', { status: 503 }],
    ['refuses', refusing('header not found')],
    ['gives less gas than it was asked for', refusing('execution reverted')],
  ])('that %s is an outage', async (_, behaviour) => {
    await using node = await startScriptedNode(behaviour)
    await expect(askNode(node)).rejects.toThrow(Outage)
    expect(node.requests.length).toBeLessThan(3)
  })

  test.each<[string, Behaviour]>([
    ['keeps it too long', 'silence'],
    ['gives up on it', refusing('execution aborted (timeout = 5s)')],
  ])('that answers, but %s, makes the signature invalid', async (_, behaviour) => {
    await using node = await startScriptedNode(behaviour, forwarding)
    expect(await askNode(node, enoughForRealCallMs)).toBe('invalid')
    expect(node.requests).toHaveLength(2)
  })

  test('with a low gas limit makes no signature invalid', async () => {
    const capped: Behaviour = {
      answer: async ({ method, params: [call, block] }) =>
        evm.rpc.call(method, [{ ...(call as object), gas: '0xf0000' }, block]).then(
          (result) => ({ result }),
          (error: Error) => ({ error: { code: 3, message: error.message } }),
        ),
    }
    await using node = await startScriptedNode(capped)
    await expect(askNode(node)).rejects.toThrow(Outage)
  })

  test('is asked once for concurrent equal checks, and again afterwards', async () => {
    await using node = await startScriptedNode(forwarding)
    const rpc = createRpc({ url: node.url, log: silentLog, retries: 0 })
    const ask = createAccountSignatureCheck({ rpc, limits })
    const question = { account: wallet, digest, signature }
    const answers = await Promise.all(Array.from({ length: 100 }, () => ask(question)))
    expect([new Set(answers), node.requests.length]).toEqual([new Set(['valid']), 1])
    expect(await ask(question)).toBe('valid')
    expect(node.requests).toHaveLength(2)
  })

  test('is asked separately for concurrent checks of other signatures or digests', async () => {
    const ask = createAccountSignatureCheck({ rpc: evm.rpc, limits })
    const other: Hex = `0x${'d2'.repeat(32)}`
    const questions = [
      { digest, signature },
      { digest: other, signature },
      { digest, signature: otherSignature },
    ]
    const answers = questions.map((question) => ask({ account: wallet, ...question }))
    expect(await Promise.all(answers)).toEqual(['valid', 'invalid', 'invalid'])
  })

  test('is protected from overload: checks beyond the queue are refused', async () => {
    await using node = await startScriptedNode(forwarding)
    const rpc = createRpc({ url: node.url, log: silentLog, retries: 0 })
    const ask = createAccountSignatureCheck({ rpc, limits: { ...limits, atOnce: 1 } })
    const asked = Array.from({ length: 10 }, (_, index) =>
      ask({ account: address(`0x${String(index).repeat(40)}`), digest, signature }),
    )
    const statuses = (await Promise.allSettled(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(4)
  })

  test('has slots left for other accounts, however many checks one account causes', async () => {
    const another = await putCode(wordyWallet)
    const ask = createAccountSignatureCheck({ rpc: evm.rpc, limits: { ...limits, atOnce: 1 } })
    const asked = Array.from({ length: 10 }, (_, index) =>
      ask({ account: wallet, digest, signature: `0x0${index}` }),
    )
    const other = ask({ account: another, digest, signature: '0x' })
    const statuses = (await Promise.allSettled(asked)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 'fulfilled')).toHaveLength(2)
    expect(await other).toBe('valid')
  })
})

test('code that answers every call with one word does not pass as the checking code', async () => {
  expect(await check(await putCode(codeReturning(1n)), signature)).toBe('invalid')
})
