import { expect, test } from 'vitest'
import type { PostApiV1QuoteResult } from '../../src/rest/documents.generated.ts'
import { type Route, route } from '../../src/rest/routing/route.ts'

/** Code that must not compile: `npm run types` fails on a line that does. */

const document = '{ version }'
const ofCode =
  'query ($code: String!) { referralCode(code: $code) { code traderRewardAmount triggerVolume timeCapDays volumeCap } }'
const ofUpload = 'mutation ($input: UploadAppDataInput!) { uploadAppData(input: $input) { hash created } }'

test('a result is typed by its document', () => {
  const right: { answer(data: object): unknown } = route({
    on: 'GET /a',
    run: document,
    answer: ({ version }) => version.toUpperCase(),
  })
  expect(right.answer({ version: 'v1' })).toBe('V1')

  const rows: Route[] = [
    // @ts-expect-error: a version is text
    route({ on: 'GET /a', run: document, answer: (data: { version: { nonsense: boolean } }) => data }),
    // @ts-expect-error: it has no such member
    route({ on: 'GET /a', run: document, answer: ({ version }) => version.nonsense }),
    // @ts-expect-error: the document does not ask for it
    route({ on: 'GET /a', run: document, answer: ({ versions }) => versions }),
    // @ts-expect-error: a status follows from the same
    route({ on: 'GET /a', run: document, answer: () => '', status: ({ version }) => version }),
    // @ts-expect-error: this text has no type
    route({ on: 'GET /a', run: '{ nonsense }', answer: () => '' }),
  ]
  expect(rows).toHaveLength(5)
})

test('enums have the interface’s spelling', () => {
  const words: Pick<PostApiV1QuoteResult['quote']['quote'], 'signingScheme' | 'kind'> = {
    signingScheme: 'presign',
    kind: 'sell',
  }
  // @ts-expect-error: a GraphQL enum value
  words.signingScheme = 'PRESIGN'
  expect(Object.keys(words)).toEqual(['signingScheme', 'kind'])
})

test('a document’s variables are typed', () => {
  const answer = () => ''
  const right = route({
    on: 'GET /a/:code/b',
    run: ofCode,
    variables: ({ path }) => ({ code: path.code }),
    answer,
  })
  const request = {
    network: 'sepolia',
    path: { code: 'A' },
    query: new URLSearchParams(),
    headers: {},
    body: undefined,
  }
  expect(right.variables?.(request)).toEqual({ code: 'A' })

  const optional = route({
    on: 'PUT /a',
    run: ofUpload,
    variables: ({ path }) => ({ input: { hash: path.hash, document: '{}' } }),
    answer,
  })
  expect(optional.variables?.(request)).toEqual({ input: { hash: undefined, document: '{}' } })

  const rows: Route[] = [
    // @ts-expect-error: it needs a code
    route({ on: 'GET /a/:code', run: ofCode, variables: () => ({}), answer }),
    // @ts-expect-error: a code is text
    route({ on: 'GET /a/:code', run: ofCode, variables: () => ({ code: 7 }), answer }),
    route({
      on: 'PUT /a',
      run: ofUpload,
      // @ts-expect-error: the document takes no `hahs`
      variables: () => ({ input: { document: '{}' }, hahs: '0x' }),
      answer,
    }),
    // @ts-expect-error: it needs to be given something
    route({ on: 'GET /a/:code', run: ofCode, answer }),
    // @ts-expect-error: the path does not name a code
    route({ on: 'GET /a/:owner', run: ofCode, variables: ({ path }) => ({ code: path.code }), answer }),
  ]
  expect(rows).toHaveLength(5)
})
