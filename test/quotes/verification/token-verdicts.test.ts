import { describe, expect, test } from 'vitest'
import { createTokenCheck, type TokenVerdict } from '../../../src/chain/token/check.ts'
import { createTokenSlots } from '../../../src/chain/token/slots.ts'
import { Outage, Refusal } from '../../../src/domain/errors/error.ts'
import { type Address, address, nativeMarker } from '../../../src/domain/evm/address.ts'
import {
  createTokenVerdicts,
  type TokenVerdictOptions,
} from '../../../src/quotes/verification/token-verdicts.ts'
import { deployToken } from '../../chain/contracts.ts'
import { countRequests } from '../../chain/counted-rpc.ts'
import { silentLog } from '../../fakes/silent-log.ts'
import { startEvm } from '../../setup/evm.ts'

const [wrappedNative, token, other, pool] = ['e1', '01', '02', '99'].map((byte) =>
  address(`0x${byte.repeat(20)}`),
) as [Address, Address, Address, Address]
const [second, minute, hour] = [1000, 60_000, 3_600_000]

function numbered(count: number): Address[] {
  return Array.from({ length: count }, (_, index) =>
    address(`0x${(index + 1).toString(16).padStart(40, '0')}`),
  )
}

/** Tokens are what the test declares; the clock stands until it is set. */
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
  test('are returned for each token, which is tried with its holder', async () => {
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

  test('of the native coin and its wrapped form are not tried', async () => {
    const script = Object.assign(scripted(), { verdict: 'stuck' })
    expect([...(await script.verdicts([nativeMarker, wrappedNative]))]).toEqual([
      [nativeMarker, 'plain'],
      [wrappedNative, 'plain'],
    ])
    expect(script.asked).toEqual([])
  })

  test('are tried once for concurrent clients', async () => {
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
  ])('%s is cached for %d ms', async (verdict, lasts) => {
    const script = Object.assign(scripted(), { verdict })
    await script.verdicts([token])
    script.time = lasts - 1
    expect((await script.verdicts([token])).get(token)).toBe(verdict)
    expect(script.asked).toHaveLength(1)
    script.time = lasts
    await script.verdicts([token])
    expect(script.asked).toHaveLength(2)
  })

  test('evict the least used of ten thousand tokens', async () => {
    const script = scripted({ holderOf: async () => pool })
    const many = numbered(10_001)
    for (const one of many) await script.verdicts([one])
    await script.verdicts(many.slice(-1))
    expect(script.asked).toHaveLength(10_001)
    await script.verdicts(many.slice(0, 1))
    expect(script.asked).toHaveLength(10_002)
  })

  test('of tokens in the market are not evicted by those without a holder, of which a thousand are kept', async () => {
    const script = scripted({
      holderOf: async (asked) => ([token, other].includes(asked) ? pool : undefined),
    })
    await script.verdicts([token, other])
    const unheld = numbered(10_001)
    for (const address of unheld) await script.verdicts([address])
    script.asked = []
    await script.verdicts([token, other, ...unheld.slice(-1)])
    expect(script.asked).toEqual([])
    await script.verdicts(unheld.slice(-1_001, -1_000))
    expect(script.asked).toHaveLength(1)
  })
})

describe('concurrent trials', () => {
  /** Trials that end when the test says so, all as fee-on-transfer. */
  function held(holder: Address | undefined) {
    const ends: (() => void)[] = []
    const script = scripted({
      holderOf: async (asked) => (asked === token ? pool : holder),
      check: () => new Promise((resolve) => ends.push(() => resolve('fee-on-transfer'))),
    })
    const end = () => {
      for (const end of ends.splice(0)) end()
    }
    return { ...script, ends, end }
  }
  const count = (verdicts: Map<Address, TokenVerdict>, wanted: TokenVerdict) =>
    [...verdicts.values()].filter((verdict) => verdict === wanted).length

  test.each([
    ['in the market', pool, 16, 128],
    ['without a holder', undefined, 4, 8],
  ])(
    'of tokens %s: some run, some wait, and the rest is unknown for the moment',
    async (_, holder, running, waiting) => {
      const script = held(holder)
      const tokens = numbered(200)
      const result = script.verdicts(tokens)
      const last = await script.verdicts(tokens.slice(-1))
      expect([...last.values()]).toEqual(['unknown'])
      await expect(script.checkTokens(tokens.slice(-1))).resolves.toBeUndefined()
      let max = 0
      const working = setInterval(() => {
        max = Math.max(max, script.ends.length)
        script.end()
      }, 0)
      const verdicts = await result.finally(() => clearInterval(working))
      expect(max).toBe(running)
      expect(count(verdicts, 'fee-on-transfer')).toBe(running + waiting)
      expect(count(verdicts, 'unknown')).toBe(200 - running - waiting)
    },
  )

  test('of tokens without a holder do not delay a token in the market', async () => {
    const script = held(undefined)
    const unheld = script.verdicts(numbered(200))
    await script.verdicts(numbered(200).slice(-1))
    expect(script.ends).toHaveLength(4)
    const real = script.verdicts([token])
    await expect.poll(() => script.ends.length).toBe(5)
    script.ends.at(-1)?.()
    expect((await real).get(token)).toBe('fee-on-transfer')
    const working = setInterval(script.end, 0)
    await unheld.finally(() => clearInterval(working))
  })

  test('that were rejected run a moment later, and are logged once a minute', async () => {
    let warnings = 0
    const ends: (() => void)[] = []
    let time = 0
    const script = scripted({
      now: () => time,
      log: { ...silentLog, warn: () => warnings++ },
      check: () => new Promise((resolve) => ends.push(() => resolve('stuck'))),
    })
    const tokens = numbered(13)
    const result = script.verdicts(tokens)
    const [late] = tokens.slice(-1) as [Address]
    expect((await script.verdicts([late])).get(late)).toBe('unknown')
    const working = setInterval(() => {
      for (const end of ends.splice(0)) end()
    }, 0)
    try {
      await result
      time = 3 * second
      expect((await script.verdicts([late])).get(late)).toBe('stuck')
      expect(warnings).toBe(1)
    } finally {
      clearInterval(working)
    }
  })
})

describe('a node that is down', () => {
  const outage = new Outage('the network node')

  test.each<[string, Partial<TokenVerdictOptions>]>([
    ['from the check', {}],
    [
      'from the search for a holder',
      { holderOf: () => Promise.reject(outage), check: () => Promise.resolve('plain') },
    ],
  ])('leaves tokens unknown for seconds: %s', async (_, more) => {
    const script = Object.assign(scripted(more), { verdict: outage })
    expect((await script.verdicts([token])).get(token)).toBe('unknown')
    await expect(script.checkTokens([token])).resolves.toBeUndefined()
  })

  test('is asked again after three seconds, and logged once a minute', async () => {
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

  test('is not blamed for bugs of the program', async () => {
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

test('a new token takes two requests, and a known one none', async () => {
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
