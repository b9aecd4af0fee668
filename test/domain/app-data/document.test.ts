import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  maxAppDataBytes,
  parseAppDataDocument,
  toAppDataInput,
} from '../../../src/domain/app-data/document.ts'
import { Refusal } from '../../../src/domain/errors/error.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { numbered } from '../../fakes/order.ts'

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
  it('distinguishes a document from a hash', () => {
    expect(toAppDataInput('{}')).toEqual({ appData: '{}', hash: emptyHash, document: '{}' })
    const bare = { appData: emptyHash, hash: emptyHash, document: null }
    expect(toAppDataInput(emptyHash.toUpperCase().replace('0X', '0x'))).toEqual(bare)
    expect(toAppDataInput('{}', emptyHash)).toEqual({ appData: '{}', hash: emptyHash, document: '{}' })
  })

  it('refuses a declared hash that is malformed or does not match', () => {
    expect(codeOf(() => toAppDataInput('{}', '0x12'))).toBe('InvalidParameter')
    expect(codeOf(() => toAppDataInput('{ }', emptyHash))).toBe('AppDataHashMismatch')
    expect(codeOf(() => toAppDataInput(emptyHash, `0x${'00'.repeat(32)}`))).toBe('AppDataHashMismatch')
  })

  it('hashes the exact text that was sent', () => {
    fc.assert(
      fc.property(fc.json(), (document) => {
        expect(toAppDataInput(document).hash).toBe(keccakText(document))
      }),
    )
  })
})

describe('parseAppDataDocument', () => {
  it.each([
    ['0x00', 'appData is not JSON: it is hex of 2 digits; a hash has 64, and an empty document is {}'],
    ['0x', 'appData is not JSON: it is hex of 0 digits; a hash has 64, and an empty document is {}'],
    [
      `0x${'ab'.repeat(31)}`,
      'appData is not JSON: it is hex of 62 digits; a hash has 64, and an empty document is {}',
    ],
    ['0xyz', 'appData is not JSON'],
    ['', 'appData is not JSON'],
  ])('says of %j what it is instead of JSON', (document, message) => {
    expect(() => parseAppDataDocument(document)).toThrow(expect.objectContaining({ message }))
  })

  const nothing = {
    preHooks: [],
    postHooks: [],
    signer: null,
    replacedOrder: null,
    validFrom: null,
    partnerFees: [],
    wrapped: false,
  }
  const parseMetadata = (metadata: unknown) => parseAppDataDocument(JSON.stringify({ metadata }))

  it('reads an empty document as having no effects', () => {
    expect(parseAppDataDocument('{}')).toEqual(nothing)
    expect(parseAppDataDocument('{"version":"x","appCode":7,"metadata":{"utm":[]}}')).toEqual(nothing)
  })

  it('reads the members with effect', () => {
    const hook = { target: numbered('AB'), callData: '0x12', gasLimit: '30000', dappId: 'x' }
    expect(
      parseMetadata({
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

  const hook = { target: numbered('ab'), callData: '0x12', gasLimit: '1' }
  const loan = {
    liquidityProvider: numbered('01'),
    protocolAdapter: numbered('02'),
    receiver: numbered('03'),
    token: numbered('04'),
    amount: '5',
  }
  const wrapper = { address: numbered('05'), data: '0x00' }

  it('reads hooks from `backend` only in old documents without `metadata`', () => {
    const backend = { hooks: { post: [hook] }, signer: numbered('12') }
    const postHooks = [{ target: numbered('ab'), callData: '0x12', gasLimit: 1n }]
    expect(parseAppDataDocument(JSON.stringify({ backend }))).toEqual({ ...nothing, postHooks })
    expect(parseAppDataDocument(JSON.stringify({ metadata: null, backend }))).toEqual({
      ...nothing,
      postHooks,
    })
    expect(parseAppDataDocument(JSON.stringify({ metadata: {}, backend }))).toEqual(nothing)
    expect(parseAppDataDocument(JSON.stringify({ metadata: {}, backend: 1 }))).toEqual(nothing)
  })

  it('counts an order as wrapped only if a wrapper may not be omitted', () => {
    expect(parseMetadata({ wrappers: [{ ...wrapper, isOmittable: true }] }).wrapped).toBe(false)
    expect(parseMetadata({ wrappers: [{ ...wrapper, isOmittable: true }, wrapper] }).wrapped).toBe(true)
    expect(parseMetadata({ wrappers: [{ ...wrapper, isOmittable: false }] }).wrapped).toBe(true)
    expect(parseMetadata({ wrappers: [] }).wrapped).toBe(false)
  })

  it('accepts a flash loan, which is a hint for solvers', () => {
    expect(parseMetadata({ flashloan: loan })).toEqual(nothing)
  })

  it.each([
    ['metadata.hooks.pre[1].callData', { hooks: { pre: [hook, { ...hook, callData: 'x' }] } }],
    ['metadata.flashloan.token', { flashloan: { ...loan, token: 'x' } }],
    ['metadata.flashloan.protocolAdapter', { flashloan: { ...loan, protocolAdapter: undefined } }],
    ['metadata.flashloan.amount', { flashloan: { ...loan, amount: 5 } }],
    ['metadata.wrappers[0].isOmittable', { wrappers: [{ ...wrapper, isOmittable: 'yes' }] }],
    ['metadata.wrappers[1].data', { wrappers: [wrapper, { ...wrapper, data: '00' }] }],
    ['metadata.wrappers[0].address', { wrappers: [{ data: '0x' }] }],
    ['metadata.enableFastPath', { enableFastPath: 1 }],
    ['metadata.replacedOrder.uid', { replacedOrder: {} }],
    ['metadata.partnerFee', { partnerFee: { recipient: numbered('12') } }],
  ])('names the member at fault: %s', (path, metadata) => {
    expect(() => parseMetadata(metadata)).toThrow(`appData ${path} `)
  })

  it.each([
    ['a list', '[{}]', 'appData must be an object'],
    ['a string', '"{}"', 'appData must be an object'],
    ['an empty text', '', 'appData is not JSON'],
    ['a duplicate member', '{"metadata":{"signer":null,"signer":null}}', 'appData metadata.signer is given'],
    [
      'a duplicate member that is escaped differently',
      '{"a":{},"metadata":{"hooks":{"pre":[{"x":1},{"y":1,"\\u0079":2}]}}}',
      'appData metadata.hooks.pre[1].y is given twice',
    ],
    ['seconds with a point', '{"metadata":{"validFrom":1800000000.0}}', 'appData metadata.validFrom must'],
    ['seconds with an exponent', '{"metadata":{"validFrom":18e8}}', 'appData metadata.validFrom must'],
    [
      'basis points with an exponent',
      `{"metadata":{"partnerFee":[{"recipient":"${numbered('12')}","volumeBps":1e1}]}}`,
      'appData metadata.partnerFee must',
    ],
    [
      'basis points with a point',
      `{"metadata":{"partnerFee":{"recipient":"${numbered('12')}","bps":1.0}}}`,
      'appData metadata.partnerFee must',
    ],
    ['a lone surrogate', '{"a":"\ud800"}', 'appData is not UTF-8'],
    ['backend that is no object', '{"backend":[]}', 'appData backend must be an object'],
    ['hooks in backend', '{"backend":{"hooks":{"pre":1}}}', 'appData backend.hooks.pre must be a list'],
  ])('refuses %s', (_, document, message) => {
    expect(codeOf(() => parseAppDataDocument(document))).toBe('InvalidAppData')
    expect(() => parseAppDataDocument(document)).toThrow(message)
  })

  it('accepts any spelling of numbers in members it does not read', () => {
    const fee = `{"recipient":"${numbered('12')}","bps":10,"share":0.5}`
    expect(parseAppDataDocument(`{"x":-1.5,"metadata":{"utm":1e9,"partnerFee":${fee}}}`).partnerFees).toEqual(
      [{ recipient: numbered('12'), kind: 'volume', volumeBps: 10 }],
    )
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
    expect(codeOf(() => parseMetadata(metadata))).toBe('InvalidAppData')
  })

  it('limits the size in bytes, not in characters', () => {
    const padded = (text: string) => `{"a":"${text}"}`
    const room = maxAppDataBytes - padded('').length
    const parse = (document: string) => parseAppDataDocument(document, maxAppDataBytes)
    expect(parse(padded('x'.repeat(room)))).toEqual(nothing)
    expect(codeOf(() => parse(padded('x'.repeat(room + 1))))).toBe('InvalidAppData')
    expect(codeOf(() => parse(padded('é'.repeat(room / 2 + 1))))).toBe('InvalidAppData')
  })

  it('either parses any text or throws InvalidAppData', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json(), fc.constantFrom('', 'null', '[]', '1')), (document) => {
        expect([undefined, 'InvalidAppData']).toContain(codeOf(() => parseAppDataDocument(document)))
      }),
    )
  })

  it('either parses any metadata or throws InvalidAppData', () => {
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
