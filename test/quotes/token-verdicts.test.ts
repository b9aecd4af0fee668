import { describe, expect, test } from 'vitest'
import { createTokenCheck, type TokenVerdict } from '../../src/chain/token-check.ts'
import { createTokenSlots } from '../../src/chain/token-slots.ts'
import { type Address, address, nativeMarker } from '../../src/domain/address.ts'
import { Outage, Refusal } from '../../src/domain/error.ts'
import { createTokenVerdicts, type TokenVerdictOptions } from '../../src/quotes/token-verdicts.ts'
import { deployToken } from '../chain/contracts.ts'
import { countRequests } from '../chain/counted-rpc.ts'
import { startEvm } from '../chain/evm.ts'
import { silentLog } from '../fakes/silent-log.ts'

const [wrappedNative, token, other, pool] = ['e1', '01', '02', '99'].map((byte) =>
  address(`0x${byte.repeat(20)}`),
) as [Address, Address, Address, Address]
const [second, minute, hour] = [1000, 60_000, 3_600_000]

/** Tokens are what they are said to be; the clock stands until it is set. */
function scripted(more: Partial<TokenVerdictOptions> = {}) {
  const script = {
    time: 0,
    verdict: 'plain' as TokenVerdict | Error,
    asked: [] as [Address, Address | undefined][],
    warnings: 0,
  }
  const verdicts = createTokenVerdicts({
    check: async (token, holder) => {
      script.asked.push([token, holder])
      await Promise.resolve()
      if (script.verdict instanceof Error) throw script.verdict
      return script.verdict
    },
    holderOf: async (asked) => (asked === token ? pool : undefined),
    wrappedNative,
    now: () => script.time,
    log: { ...silentLog, warn: () => script.warnings++ },
    ...more,
  })
  return Object.assign(script, verdicts)
}

describe('verdicts', () => {
  test('are told for each token, which is tried with its holder', async () => {
    const script = scripted()
    expect([...(await script.verdicts([token, other]))]).toEqual([
      [token, 'plain'],
      [other, 'plain'],
    ])
    expect(script.asked).toEqual([
      [token, pool],
      [other, undefined],
    ])
  })

  test('of the native coin and its wrapped form are not asked for', async () => {
    const script = Object.assign(scripted(), { verdict: 'stuck' })
    expect([...(await script.verdicts([nativeMarker, wrappedNative]))]).toEqual([
      [nativeMarker, 'plain'],
      [wrappedNative, 'plain'],
    ])
    expect(script.asked).toEqual([])
  })

  test('are asked for once, however many wait', async () => {
    const script = scripted()
    await Promise.all([
      script.verdicts([token, token]),
      script.verdicts([token]),
      script.checkTokens([token]),
    ])
    expect(script.asked).toHaveLength(1)
  })

  test.each<[TokenVerdict, number]>([
    ['plain', 6 * hour],
    ['fee-on-transfer', hour],
    ['rebasing', hour],
    ['stuck', hour],
    ['absent', minute],
    ['unknown', minute],
  ])('%s holds for %d ms', async (verdict, lasts) => {
    const script = Object.assign(scripted(), { verdict })
    await script.verdicts([token])
    script.time = lasts - 1
    expect((await script.verdicts([token])).get(token)).toBe(verdict)
    expect(script.asked).toHaveLength(1)
    script.time = lasts
    await script.verdicts([token])
    expect(script.asked).toHaveLength(2)
  })

  test('forget the least used of ten thousand tokens', async () => {
    const script = scripted()
    const many = Array.from({ length: 10_001 }, (_, index) =>
      address(`0x${(index + 1).toString(16).padStart(40, '0')}`),
    )
    await script.verdicts(many)
    await script.verdicts(many.slice(-1))
    expect(script.asked).toHaveLength(10_001)
    await script.verdicts(many.slice(0, 1))
    expect(script.asked).toHaveLength(10_002)
  })
})

describe('a node that is away', () => {
  const outage = new Outage('the network node')

  test.each<[string, Partial<TokenVerdictOptions>]>([
    ['from the check', {}],
    [
      'from the look for a holder',
      { holderOf: () => Promise.reject(outage), check: () => Promise.resolve('plain') },
    ],
  ])('leaves tokens unknown for seconds: %s', async (_, more) => {
    const script = Object.assign(scripted(more), { verdict: outage })
    expect((await script.verdicts([token])).get(token)).toBe('unknown')
    await expect(script.checkTokens([token])).resolves.toBeUndefined()
  })

  test('is asked again after three seconds, and told of once a minute', async () => {
    const script = Object.assign(scripted(), { verdict: outage as TokenVerdict | Error })
    for (const time of [0, 3 * second - 1]) {
      script.time = time
      await script.verdicts([token])
    }
    expect(script.asked).toHaveLength(1)
    script.time = 3 * second
    await script.verdicts([token])
    expect([script.asked.length, script.warnings]).toEqual([2, 1])
    script.time = minute
    await script.verdicts([token])
    expect(script.warnings).toBe(2)
    script.time += 3 * second
    script.verdict = 'rebasing'
    expect((await script.verdicts([token])).get(token)).toBe('rebasing')
  })

  test('is not blamed for our own faults', async () => {
    const script = Object.assign(scripted(), { verdict: new TypeError('a bug') })
    await expect(script.verdicts([token])).rejects.toThrow('a bug')
  })
})

describe('tokens of an order', () => {
  test.each<[TokenVerdict, string]>([
    ['fee-on-transfer', 'takes a fee from transfers'],
    ['rebasing', 'changes balances by itself'],
    ['stuck', 'cannot be transferred'],
  ])('are refused when one is %s', async (verdict, fault) => {
    const script = scripted({ check: async (asked) => (asked === other ? verdict : 'plain') })
    const refusal = await script.checkTokens([token, other]).catch((fault: unknown) => fault)
    expect(refusal).toBeInstanceOf(Refusal)
    expect(refusal).toMatchObject({
      code: 'UnsupportedToken',
      message: `${other} ${fault}`,
      field: undefined,
    })
  })

  test.each<TokenVerdict>(['plain', 'unknown', 'absent'])('pass when they are %s', async (verdict) => {
    await expect(Object.assign(scripted(), { verdict }).checkTokens([token])).resolves.toBeUndefined()
  })
})

test('the node is asked twice for a new token, and not at all for one that is known', async () => {
  await using evm = await startEvm()
  const fee = await deployToken(evm, 'FeeToken')
  await fee.write('mint', [evm.account, 10n ** 22n])
  const counted = countRequests(evm.rpc)
  const { rpc } = counted
  const check = createTokenCheck({ rpc, slots: createTokenSlots({ rpc }) })
  const { checkTokens, verdicts } = createTokenVerdicts({
    check,
    holderOf: async () => undefined,
    wrappedNative,
    now: () => 0,
    log: silentLog,
  })
  await expect(checkTokens([fee.address])).rejects.toThrow(`${fee.address} takes a fee from transfers`)
  expect(counted.requests).toBe(2)
  expect((await verdicts([fee.address])).get(fee.address)).toBe('fee-on-transfer')
  expect(counted.requests).toBe(2)
})
