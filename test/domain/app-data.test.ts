import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { maxAppDataBytes, parseAppDataDocument, toAppDataInput } from '../../src/domain/app-data.ts'
import { Refusal } from '../../src/domain/error.ts'
import { keccakText } from '../../src/domain/keccak.ts'
import { numbered } from '../fakes/order.ts'

const emptyHash = '0xb48d38f93eaa084033fc5970bf96e559c33c4cdc07d889ab00b4d63f9590739d'

function codeOf(action: () => unknown): string | undefined {
  try {
    action()
  } catch (error) {
    if (error instanceof Refusal) return error.code
    throw error
  }
  return undefined
}

describe('toAppDataInput', () => {
  it('tells a document from a hash', () => {
    expect(toAppDataInput('{}')).toEqual({ appData: '{}', hash: emptyHash, document: '{}' })
    const bare = { appData: emptyHash, hash: emptyHash, document: null }
    expect(toAppDataInput(emptyHash.slice(2).toUpperCase())).toEqual(bare)
    expect(toAppDataInput('{}', emptyHash)).toEqual({ appData: '{}', hash: emptyHash, document: '{}' })
  })

  it('refuses a declared hash that is malformed or another', () => {
    expect(codeOf(() => toAppDataInput('{}', '0x12'))).toBe('InvalidParameter')
    expect(codeOf(() => toAppDataInput('{ }', emptyHash))).toBe('AppDataHashMismatch')
    expect(codeOf(() => toAppDataInput(emptyHash, `0x${'00'.repeat(32)}`))).toBe('AppDataHashMismatch')
  })

  it('hashes exactly what was sent', () => {
    fc.assert(
      fc.property(fc.json(), (document) => {
        expect(toAppDataInput(document).hash).toBe(keccakText(document))
      }),
    )
  })
})

describe('parseAppDataDocument', () => {
  const nothing = {
    preHooks: [],
    postHooks: [],
    signer: null,
    replacedOrder: null,
    validFrom: null,
    partnerFees: [],
    wrapped: false,
  }
  const meaning = (metadata: unknown) => parseAppDataDocument(JSON.stringify({ metadata }))

  it('finds nothing where there is nothing', () => {
    expect(parseAppDataDocument('{}')).toEqual(nothing)
    expect(parseAppDataDocument('{"version":"x","appCode":7,"metadata":{"utm":[]}}')).toEqual(nothing)
  })

  it('reads the members with effect', () => {
    const hook = { target: numbered('AB'), callData: '0x12', gasLimit: '30000', dappId: 'x' }
    expect(
      meaning({
        hooks: { pre: [hook], version: '0.1.0' },
        signer: numbered('12'),
        replacedOrder: { uid: `0x${'AB'.repeat(56)}` },
        validFrom: 4_294_967_295,
      }),
    ).toEqual({
      ...nothing,
      preHooks: [{ target: numbered('ab'), callData: '0x12', gasLimit: 30_000n }],
      signer: numbered('12'),
      replacedOrder: `0x${'ab'.repeat(56)}`,
      validFrom: 4_294_967_295,
    })
  })

  it.each([
    { hooks: [] },
    { hooks: { pre: {} } },
    { hooks: { pre: [{ target: '0x12', callData: '0x', gasLimit: '1' }] } },
    { hooks: { post: [{ target: numbered('12'), callData: '12', gasLimit: '1' }] } },
    { hooks: { post: [{ target: numbered('12'), callData: '0x', gasLimit: 1 }] } },
    { hooks: { post: [{ target: numbered('12'), callData: '0x', gasLimit: '-1' }] } },
    { signer: 'me' },
    { replacedOrder: { uid: '0x12' } },
    { replacedOrder: emptyHash },
    { validFrom: -1 },
    { validFrom: 2 ** 32 },
    { validFrom: '1' },
    { enableFastPath: true },
    [],
    'metadata',
  ])('refuses metadata %j', (metadata) => {
    expect(codeOf(() => meaning(metadata))).toBe('InvalidAppData')
  })

  it('counts bytes, not characters', () => {
    const padded = (text: string) => `{"a":"${text}"}`
    const room = maxAppDataBytes - padded('').length
    expect(parseAppDataDocument(padded('x'.repeat(room)))).toEqual(nothing)
    expect(codeOf(() => parseAppDataDocument(padded('x'.repeat(room + 1))))).toBe('InvalidAppData')
    expect(codeOf(() => parseAppDataDocument(padded('é'.repeat(room / 2 + 1))))).toBe('InvalidAppData')
  })

  it('answers any text with a meaning or InvalidAppData', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constantFrom('', 'null', '[]', '1')), (document) => {
        expect([undefined, 'InvalidAppData']).toContain(codeOf(() => parseAppDataDocument(document)))
      }),
    )
  })

  it('answers any metadata likewise', () => {
    const hooks = fc.record({ pre: fc.anything(), post: fc.anything() })
    fc.assert(
      fc.property(fc.record({ hooks, signer: fc.jsonValue(), validFrom: fc.jsonValue() }), (metadata) => {
        const text = toJson(metadata)
        expect([undefined, 'InvalidAppData']).toContain(
          codeOf(() => parseAppDataDocument(`{"metadata":${text}}`)),
        )
      }),
    )
  })

  function toJson(value: unknown): string {
    return JSON.stringify(value, (_, item) => (typeof item === 'bigint' ? item.toString() : item)) ?? 'null'
  }
})
