import { AbiCoder, Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { createTokenSlots, type TokenSlots } from '../../../src/chain/token/slots.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../../src/domain/evm/hex.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { codeReturning, type Evm, startEvm } from '../../setup/evm.ts'
import { deployToken, frozenToken } from '../contracts.ts'
import { countRequests, ignoringOverrides, refusingOverrides } from '../counted-rpc.ts'
import { deployBehindProxy, deployOdd, type OddName } from '../odd-tokens.ts'

let evm: Evm
beforeAll(async () => {
  evm = await startEvm()
})
afterAll(() => evm[Symbol.asyncDispose]())

const owner = address(`0x${'a0'.repeat(20)}`)
const spender = address(`0x${'b0'.repeat(20)}`)
const tokenAbi = new Interface([
  'function balanceOf(address) view returns (uint256)',
  'function allowance(address, address) view returns (uint256)',
])

/** The token's answer once this is written. */
async function said(token: Address, method: string, values: unknown[], slot: Bytes32, written: bigint) {
  const stateDiff = { [slot]: AbiCoder.defaultAbiCoder().encode(['uint256'], [written]) }
  const call = { to: token, data: tokenAbi.encodeFunctionData(method, values) }
  const returned = await evm.rpc.call('eth_call', [call, 'latest', { [token]: { stateDiff } }])
  return BigInt(String(returned).slice(0, 66))
}

/** The answers for all accounts, not only the one that was asked about. */
async function obeyed(token: Address, { balance, allowance }: TokenSlots) {
  return {
    balance: balance && (await said(token, 'balanceOf', [owner], balance(owner), 987n)),
    allowance:
      allowance && (await said(token, 'allowance', [owner, spender], allowance(owner, spender), 654n)),
  }
}

const namespace = 0x52c63247e1f47db19d5ce0460030c497f067ca4cebf71ba98eeadabe20bace00n

describe('the storage slots of a token are found', () => {
  const find = (token: Address) => createTokenSlots({ rpc: evm.rpc })(token)

  test.each<[string, OddName, bigint[]]>([
    ['in the first slots', 'PlainToken', []],
    ['at a base slot behind many variables', 'PlacedToken', [101n, 0n]],
    ['at the last base slots that are tried', 'PlacedToken', [126n, 0n]],
    ['in the other order of hashing', 'PlacedToken', [0n, 1n]],
    ['in the other order, behind many variables', 'PlacedToken', [77n, 1n]],
    ['in a namespace of upgradeable tokens', 'PlacedToken', [namespace, 0n]],
    ['hashed with a seed', 'SeededToken', []],
    ['beside a flag in the top bit', 'FlaggedToken', []],
    ['in 96 bits of a slot', 'PackedToken', [0n]],
  ])('%s', async (_, name, words) => {
    const { address: token } = await deployOdd(evm, name, words)
    const slots = await find(token)
    expect(await obeyed(token, slots)).toEqual({ balance: 987n, allowance: 654n })
    expect(slots.isComputed).toBe(false)
  })

  test('behind a proxy, in the storage of the proxy', async () => {
    const { address: token } = await deployBehindProxy(evm, 'StrictToken')
    expect(await obeyed(token, await find(token))).toEqual({ balance: 987n, allowance: 654n })
  })

  test.each(['TestToken', 'FeeToken'] as const)('of the local %s', async (contract) => {
    const { address: token } = await deployToken(evm, contract)
    expect(await obeyed(token, await find(token))).toEqual({ balance: 987n, allowance: 654n })
  })

  test.each<[string, OddName]>([
    ['in shares', 'SharesToken'],
    ['in parts of a huge number', 'GonsToken'],
    ['in parts of a huge number, but for accounts that are left out', 'ReflectionToken'],
  ])('balances that are kept %s are computed', async (_, name) => {
    const { address: token } = await deployOdd(evm, name)
    const slots = await find(token)
    expect(slots).toMatchObject({ balance: undefined, isComputed: true })
    expect(await obeyed(token, slots)).toEqual({ balance: undefined, allowance: 654n })
  })

  test.each<[string, OddName, bigint[]]>([
    ['in the upper bits of a slot', 'PackedToken', [1n]],
    ['in another contract', 'LedgerToken', []],
    ['further behind than is looked', 'PlacedToken', [128n, 0n]],
  ])('balances that are kept %s are not found, and not taken for computed', async (_, name, words) => {
    const { address: token } = await deployOdd(evm, name, words)
    expect(await find(token)).toMatchObject({ balance: undefined, isComputed: false })
  })

  const nothing = { balance: undefined, allowance: undefined, isComputed: false }

  test.each([
    ['has no code', '0x'],
    ['uses up its gas', '0xfe'],
    ['reverts', '0x60006000fd'],
    ['returns less than a word', '0x60016000f3'],
    ['returns the same balance for every account', codeReturning(5n)],
    ['returns the whole supply as every balance', frozenToken(1n)],
  ] as const)('nothing, in a token that %s', async (_, code) => {
    const token = address(`0x${Math.random().toString(16).slice(2).padEnd(40, '7').slice(0, 40)}`)
    await evm.rpc.call('anvil_setCode', [token, code])
    expect(await find(token)).toEqual(nothing)
  })

  test('although the token returns megabytes, which are not transferred to the service', async () => {
    const { address: token } = await deployOdd(evm, 'WordyToken', [1n])
    const sizes: number[] = []
    const rpc = {
      ...evm.rpc,
      batch: async (calls: Parameters<Evm['rpc']['batch']>[0]) => {
        const answers = await evm.rpc.batch(calls)
        sizes.push(JSON.stringify(answers).length)
        return answers
      },
    }
    const slots = await createTokenSlots({ rpc })(token)
    expect(await obeyed(token, slots)).toEqual({ balance: 987n, allowance: 654n })
    expect(sizes).toEqual([expect.any(Number)])
    expect(sizes[0]).toBeLessThan(1_500)
  })
})

describe('the node', () => {
  const [hour, day] = [3_600_000, 86_400_000]

  test('is asked once a day for slots that were found, however many clients ask', async () => {
    const { address: token } = await deployToken(evm)
    const counted = countRequests(evm.rpc)
    let time = 0
    const find = createTokenSlots({ rpc: counted.rpc, now: () => time })
    const [first, second] = await Promise.all([find(token), find(token)])
    time = day - 1
    expect([second, await find(token)]).toEqual([first, first])
    expect(counted.requests).toBe(1)
  })

  test('is asked again after a day, when a proxy may have new code', async () => {
    const models = [await deployOdd(evm, 'PlacedToken', [101n, 0n]), await deployToken(evm)]
    const [before, after] = await Promise.all(
      models.map(({ address }) => evm.rpc.call('eth_getCode', [address, 'latest'])),
    )
    const token = address(`0x${'18'.repeat(20)}`)
    await evm.rpc.call('anvil_setCode', [token, before])
    let time = 0
    const find = createTokenSlots({ rpc: evm.rpc, now: () => time })
    await find(token)
    await evm.rpc.call('anvil_setCode', [token, after])
    time = day - 1
    expect(await obeyed(token, await find(token))).not.toMatchObject({ balance: 987n })
    time = day
    expect(await obeyed(token, await find(token))).toEqual({ balance: 987n, allowance: 654n })
  })

  test('is asked again after a hundred other tokens for an unused one, and not for one in use', async () => {
    const token = address(`0x${'19'.repeat(20)}`)
    const word = `0x${'00'.repeat(160)}`
    let asked = 0
    const find = createTokenSlots({
      rpc: {
        ...evm.rpc,
        batch: async (calls) => {
          asked++
          return calls.map(() => ({ value: word }))
        },
      },
    })
    await find(token)
    for (let index = 1; index <= 101; index++) {
      await find(address(`0x${index.toString(16).padStart(40, '0')}`), true)
    }
    expect(asked).toBe(102)
    await find(token)
    expect(asked).toBe(102)
    await find(address(`0x${'1'.padStart(40, '0')}`), true)
    expect(asked).toBe(103)
  })

  test('is asked again after an hour for slots that were not found', async () => {
    const { address: token } = await deployOdd(evm, 'LedgerToken')
    const counted = countRequests(evm.rpc)
    let time = 0
    const find = createTokenSlots({ rpc: counted.rpc, now: () => time })
    await find(token)
    time = hour - 1
    await find(token)
    expect(counted.requests).toBe(1)
    time = hour
    await find(token)
    expect(counted.requests).toBe(2)
  })

  test('is asked again after a minute for an address that was no token yet', async () => {
    const { address: model } = await deployToken(evm)
    const token = address(`0x${'17'.repeat(20)}`)
    let time = 0
    const find = createTokenSlots({ rpc: evm.rpc, now: () => time })
    expect((await find(token)).balance).toBeUndefined()
    await evm.rpc.call('anvil_setCode', [token, await evm.rpc.call('eth_getCode', [model, 'latest'])])
    time = 59_999
    expect((await find(token)).balance).toBeUndefined()
    time = 60_000
    expect(await obeyed(token, await find(token))).toEqual({ balance: 987n, allowance: 654n })
  })

  test.each([
    ['does not know overrides', ignoringOverrides],
    ['refuses them', refusingOverrides],
    ['is away', () => createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })],
  ] as const)('that %s is an outage, which is not remembered', async (_, revert) => {
    const { address: token } = await deployToken(evm)
    let rpc = revert(evm.rpc)
    const find = createTokenSlots({
      rpc: { call: (...all) => rpc.call(...all), batch: (calls) => rpc.batch(calls) },
    })
    await expect(find(token)).rejects.toThrow(Outage)
    rpc = evm.rpc
    expect((await find(token)).balance).toBeDefined()
  })
})
