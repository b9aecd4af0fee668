import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createRpc } from '../../../src/chain/rpc/rpc.ts'
import { type CheckToken, createTokenCheck, type TokenVerdict } from '../../../src/chain/token/check.ts'
import { createTokenSlots } from '../../../src/chain/token/slots.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { startTestChain } from '../../setup/chain.ts'
import { codeReturning, type Evm, startEvm } from '../../setup/evm.ts'
import { deployToken } from '../contracts.ts'
import { countRequests, ignoringOverrides, refusingOverrides } from '../counted-rpc.ts'
import { deployBehindProxy, deployOdd, type OddName } from '../odd-tokens.ts'

let evm: Evm
let check: CheckToken
let holder: Address
beforeAll(async () => {
  evm = await startEvm()
  check = createTokenCheck({ rpc: evm.rpc, slots: createTokenSlots({ rpc: evm.rpc }) })
  holder = (await deployOdd(evm, 'Holder')).address
})
afterAll(() => evm[Symbol.asyncDispose]())

const much = 10n ** 21n

/** The verdicts with a holder of this balance, and without a known holder. */
async function verdicts(token: { address: Address; write: Write }, balance = much) {
  const alone = await check(token.address, undefined)
  await token.write('mint', [holder, balance])
  return { held: await check(token.address, holder), alone }
}
type Write = (method: string, args: unknown[]) => Promise<unknown>

const same = (verdict: TokenVerdict) => ({ held: verdict, alone: verdict })

describe('the behaviour of a token is recognised, with a holder and without', () => {
  test.each<[OddName, bigint[], TokenVerdict]>([
    ['PlainToken', [], 'plain'],
    ['SilentToken', [], 'plain'],
    ['PlacedToken', [101n, 1n], 'plain'],
    ['SeededToken', [], 'plain'],
    ['FlaggedToken', [], 'plain'],
    ['PackedToken', [0n], 'plain'],
    ['FeeAtToken', [0n, 30_000n], 'fee-on-transfer'],
    ['FeeAtToken', [0n, 100n], 'fee-on-transfer'],
    ['DearToken', [], 'fee-on-transfer'],
    ['SharesToken', [], 'rebasing'],
    ['GonsToken', [], 'rebasing'],
    ['GenerousToken', [], 'rebasing'],
    ['FalseToken', [], 'stuck'],
    ['LyingToken', [], 'stuck'],
    ['GasToken', [0n], 'stuck'],
    ['GasToken', [1n], 'stuck'],
    ['WordyToken', [0n], 'stuck'],
    ['WordyToken', [1n], 'plain'],
  ])('%s(%s) is %s', async (name, words, verdict) => {
    expect(await verdicts(await deployOdd(evm, name, words))).toEqual(same(verdict))
  })

  test('of the local tokens, the fee token burns one percent', async () => {
    expect(await verdicts(await deployToken(evm))).toEqual(same('plain'))
    const fee = await deployToken(evm, 'FeeToken')
    await fee.write('mint', [evm.account, much])
    expect(await verdicts(fee)).toEqual(same('fee-on-transfer'))
  })

  test('works behind a proxy', async () => {
    expect(await verdicts(await deployBehindProxy(evm, 'StrictToken'))).toEqual(same('plain'))
  })
})

describe('a holder', () => {
  const held = async (token: { address: Address; write: Write }, balance = much) =>
    (await verdicts(token, balance)).held

  test('reveals a fee that is only taken from his transfers', async () => {
    const token = await deployOdd(evm, 'FeeAtToken', [holder, 5_000n])
    expect(await verdicts(token)).toEqual({ held: 'fee-on-transfer', alone: 'plain' })
  })

  test('that is a pool stays one, so that a fee for pools shows', async () => {
    expect(await verdicts(await deployOdd(evm, 'CuriousToken'))).toEqual({
      held: 'fee-on-transfer',
      alone: 'plain',
    })
  })

  test('reveals a reflection fee where, without one, balances only look computed', async () => {
    expect(await verdicts(await deployOdd(evm, 'ReflectionToken'))).toEqual({
      held: 'fee-on-transfer',
      alone: 'rebasing',
    })
  })

  test.each<[string, OddName, bigint[]]>([
    ['balances are in another contract', 'LedgerToken', []],
    ['balances are in the upper bits', 'PackedToken', [1n]],
    ['balances and allowances are too far behind', 'PlacedToken', [128n, 0n]],
  ])('is needed where %s', async (_, name, words) => {
    expect(await verdicts(await deployOdd(evm, name, words))).toEqual({ held: 'plain', alone: 'unknown' })
  })

  test('supplies the balance where his allowance cannot be written', async () => {
    expect(await verdicts(await deployOdd(evm, 'PlacedToken', [127n, 0n]))).toEqual(same('plain'))
  })

  test('who is blocked, or whose token is paused, makes the verdict stuck', async () => {
    const token = await deployOdd(evm, 'StrictToken')
    await token.write('freeze', [holder])
    expect(await verdicts(token)).toEqual({ held: 'stuck', alone: 'plain' })
    await token.write('setPaused', [true])
    expect(await verdicts(token)).toEqual(same('stuck'))
  })

  test.each([0n, 1n, 2n, 79_000n])('with a balance of %d reveals too little', async (balance) => {
    expect(await held(await deployOdd(evm, 'LedgerToken'), balance)).toBe('unknown')
    const fee = await deployOdd(evm, 'FeeAtToken', [0n, 100n])
    expect(await held(fee, balance)).toBe('fee-on-transfer')
  })

  test('with a balance that is just enough reveals a fee of a hundredth of a percent', async () => {
    expect(await held(await deployOdd(evm, 'LedgerToken'), 80_000n)).toBe('plain')
    const atHolder = await deployOdd(evm, 'FeeAtToken', [holder, 100n])
    expect(await held(atHolder, 80_000n)).not.toBe('plain')
    const larger = await deployOdd(evm, 'FeeAtToken', [holder, 100n])
    expect(await held(larger, 2_000_000n)).toBe('fee-on-transfer')
  })

  test('keeps his balance', async () => {
    const token = await deployToken(evm)
    expect(await held(token)).toBe('plain')
    expect(await token.read('balanceOf', [holder])).toBe(much)
  })
})

describe('an address that is no token', () => {
  const somewhere = address(`0x${'1d'.repeat(20)}`)

  test('without code is absent', async () => {
    expect([await check(somewhere, undefined), await check(somewhere, holder)]).toEqual(['absent', 'absent'])
  })

  test('without balances is stuck', async () => {
    expect([await check(holder, undefined), await check(holder, somewhere)]).toEqual(['stuck', 'stuck'])
  })

  test('that answers everything with the same value is stuck', async () => {
    await evm.rpc.call('anvil_setCode', [somewhere, codeReturning(10n ** 9n)])
    expect([await check(somewhere, undefined), await check(somewhere, holder)]).toEqual(['stuck', 'stuck'])
  })
})

test('a token that begins to compute its balances after its storage was found is recognised', async () => {
  const token = await deployOdd(evm, 'SharesToken')
  await token.write('setIndex', [10n ** 18n])
  expect(await check(token.address, undefined)).toBe('plain')
  await token.write('setIndex', [107n * 10n ** 16n])
  expect(await check(token.address, undefined)).toBe('rebasing')
})

test('the gas of a trial is counted once, with that of the search for its storage', async () => {
  const counted: bigint[] = []
  const meter = { addGas: (gas: bigint) => void counted.push(gas) }
  const checkAnew = createTokenCheck({ rpc: evm.rpc, slots: createTokenSlots({ rpc: evm.rpc }) })
  await checkAnew((await deployToken(evm)).address, holder, meter)
  const burner = address(`0x${'b0'.repeat(20)}`)
  await evm.rpc.call('anvil_setCode', [burner, '0x5b600056'])
  await checkAnew(burner, undefined, meter)
  // The search failed: it is not repeated within a minute.
  await checkAnew(burner, undefined, meter)
  const [usual, burning, again] = counted.map((gas) => Number(gas) / 500_000)
  expect(usual).toBeLessThan(1)
  expect(burning).toBeCloseTo(7, 0)
  expect(again).toBeCloseTo(1, 0)
  expect(counted).toHaveLength(3)
})

test('on the local market all tokens but the fee token are plain, without a known holder', async () => {
  await using chain = await startTestChain()
  const { rpc, market } = chain
  const checkThere = createTokenCheck({ rpc, slots: createTokenSlots({ rpc }) })
  const found = Object.entries(market.tokens).map(async ([symbol, { address: token }]) => [
    symbol,
    await checkThere(token, undefined),
  ])
  expect(Object.fromEntries(await Promise.all(found))).toEqual({
    WETH: 'plain',
    USDC: 'plain',
    DAI: 'plain',
    COW: 'plain',
    FEE: 'fee-on-transfer',
  })
})

describe('the node', () => {
  test('gets two requests for a token, and one when its storage is known', async () => {
    const counted = countRequests(evm.rpc)
    const { address: token } = await deployToken(evm)
    const checkCounted = createTokenCheck({ rpc: counted.rpc, slots: createTokenSlots({ rpc: counted.rpc }) })
    await checkCounted(token, holder)
    expect(counted.requests).toBe(2)
    await checkCounted(token, holder)
    expect(counted.requests).toBe(3)
  })

  test('the storage of a token without holders is cached separately', async () => {
    const { address: token } = await deployToken(evm)
    const asked: (boolean | undefined)[] = []
    const find = createTokenSlots({ rpc: evm.rpc })
    const checkSeen = createTokenCheck({
      rpc: evm.rpc,
      slots: (token, isStrange) => {
        asked.push(isStrange)
        return find(token, isStrange)
      },
    })
    expect([await checkSeen(token, holder), await checkSeen(token, undefined)]).toEqual(['plain', 'plain'])
    expect(asked).toEqual([false, true])
  })

  /** A node with a lower limit of its own. */
  const givingLess = (rpc: Evm['rpc']): Evm['rpc'] => ({
    ...rpc,
    batch: (calls) =>
      rpc.batch(
        calls.map(({ method, params: [call, ...more] = [] }) => ({
          method,
          params: [{ ...(call as object), gas: '0x100000' }, ...more],
        })),
      ),
  })

  test.each([
    ['does not know overrides', ignoringOverrides],
    ['refuses them', refusingOverrides],
    ['gives less gas than was asked for', givingLess],
    ['is away', () => createRpc({ url: 'http://127.0.0.1:1', log: silentLog, retries: 0 })],
  ] as const)('that %s is an outage', async (_, revert) => {
    const { address: token } = await deployOdd(evm, 'GasToken', [0n])
    const slots = createTokenSlots({ rpc: evm.rpc })
    await slots(token)
    await expect(createTokenCheck({ rpc: revert(evm.rpc), slots })(token, holder)).rejects.toThrow(Outage)
  })
})
