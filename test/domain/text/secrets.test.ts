import { expect, test } from 'vitest'
import { createMask, secretsOfUrl, withoutSecrets } from '../../../src/domain/text/secrets.ts'

const secrets = ['s3cret/key+of"the~book', 'kürzel-4711', 'abcdefgh']
const mask = createMask(secrets)
const percent = (text: string, of: 'upper' | 'lower') => {
  const hex = Buffer.from(text).toString('hex')
  const all = hex.replace(/../g, '%$&')
  return of === 'upper' ? all.toUpperCase() : all
}
const json = (text: string) => JSON.stringify(text).slice(1, -1)
const escaped = (text: string) =>
  [...text].map((character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')

test.each(secrets)('%s is removed in every form', (secret) => {
  const bytes = Buffer.from(secret)
  const forms = {
    plain: secret,
    json: json(secret),
    escaped: escaped(secret),
    component: encodeURIComponent(secret),
    upper: percent(secret, 'upper'),
    lower: percent(secret, 'lower'),
    hex: bytes.toString('hex'),
    hexUpper: bytes.toString('hex').toUpperCase(),
  }
  for (const [name, form] of Object.entries(forms))
    expect(mask(`{"before":"${form}","again":"${form}."}`), name).toBe(
      '{"before":"[redacted]","again":"[redacted]."}',
    )
})

test.each(secrets)('%s is removed in Base64 at each alignment, and no part of it stays', (secret) => {
  const bytes = Buffer.from(secret)
  for (const encoding of ['base64', 'base64url'] as const)
    for (let before = 0; before < 5; before++)
      for (let behind = 0; behind < 5; behind++) {
        const [head, tail] = ['user:'.slice(0, before), 'more!'.slice(0, behind)]
        const encoded = Buffer.concat([Buffer.from(head), bytes, Buffer.from(tail)]).toString(encoding)
        const hidden = mask(`Basic ${encoded}`)
        const [left = '', right] = hidden.slice('Basic '.length).split('[redacted]')
        expect(right, `${encoding} ${before} ${behind}`).toBeDefined()
        expect(head).toContain(Buffer.from(left, encoding).toString())
        // What stays behind holds none of its bits.
        const bits = (before + bytes.length) * 8
        expect(
          (encoded.replaceAll('=', '').length - (right ?? '').replaceAll('=', '').length) * 6,
        ).toBeGreaterThanOrEqual(bits)
      }
})

test('other texts stay as they are', () => {
  for (const text of ['', '100% of "it"', '%zz \\u12 %41', 's3cret/key', JSON.stringify({ a: 'ü\\"' })])
    expect(mask(text)).toBe(text)
})

test('a secret beside an escape, and two that overlap, are removed', () => {
  expect(mask('%20abcdefgh%20 a%62cdefgh')).toBe('%20[redacted]%20 [redacted]')
  expect(createMask(['abcdefgh', 'abcdefghij'])('%61bcdefghij')).toBe('[redacted]')
})

test.each([
  [
    'https://user:pass%2Fword@book.example/mainnet',
    'https://book.example/mainnet',
    ['pass%2Fword', 'pass/word'],
  ],
  ['https://key-as-user@book.example/', 'https://book.example/', ['key-as-user']],
  [
    'https://book.example/v1/0123456789abcdef/x?k=a%20b%20c%20d%20e',
    'https://book.example/v1/[redacted]/x',
    ['0123456789abcdef', 'a b c d e'],
  ],
  ['https://book.example/arbitrum_one', 'https://book.example/arbitrum_one', []],
])('%s is shown as %s', (url, shown, hidden) => {
  expect(withoutSecrets(url)).toBe(shown)
  expect(secretsOfUrl(url)).toEqual(expect.arrayContaining(hidden))
})
