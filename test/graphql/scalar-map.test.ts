import { readFileSync } from 'node:fs'
import path from 'node:path'
import { codegen } from '@graphql-codegen/core'
import * as operations from '@graphql-codegen/typescript-operations'
import { type GraphQLScalarType, isScalarType, isSpecifiedScalarType, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { scalarMap, schema } from '../../src/graphql/schema.ts'

const read = (...file: string[]) => readFileSync(path.join(import.meta.dirname, ...file), 'utf8')
const published: Record<string, string> = JSON.parse(read('..', '..', 'docs', 'scalars.json'))

/** A value of each scalar as resolvers return it. */
const samples: Record<string, unknown> = {
  Address: '0x6b175474e89094c44da98b954eedeac495271d0f',
  AppDataDocument: '{}',
  BasisPoints: 50,
  Bytes32: `0x${'00'.repeat(32)}`,
  DateTime: new Date(0),
  Decimal: '0.5',
  Hex: '0x',
  JSON: { any: 'value' },
  Milliseconds: 5_000,
  NetworkName: 'sepolia',
  OrderUid: `0x${'00'.repeat(56)}`,
  SafeInt: 7n,
  TokenAddress: '0x6b175474e89094c44da98b954eedeac495271d0f',
  Uint256: 7n,
  Uint32: 7,
}

const scalars = Object.values(schema.getTypeMap())
  .filter(isScalarType)
  .filter((type) => !isSpecifiedScalarType(type))

describe('docs/scalars.json', () => {
  test('is up to date: after a change run `npm run codegen`', () => {
    expect(published).toEqual(scalarMap())
    expect(Object.keys(published)).toEqual(Object.keys(samples))
  })

  test.each(Object.entries(samples))('%s has the JSON type of the map', (name, sample) => {
    const scalar = scalars.find((type) => type.name === name) as GraphQLScalarType
    const written = JSON.parse(JSON.stringify(scalar.serialize(sample)))
    expect(published[name]).toBe(name === 'JSON' ? 'unknown' : typeof written)
  })

  test('gives codegen the types of a document from the SDL alone', async () => {
    const document = parse(`query Order($uid: OrderUid!) {
      order(network: "sepolia", uid: $uid) { owner creationDate validTo sellAmount quoteId }
    }`)
    const types = (config: object) =>
      codegen({
        filename: 'documents.ts',
        schema: parse(read('..', '..', 'schema.graphql')),
        documents: [{ location: 'order', document }],
        plugins: [{ operations: { strictScalars: true, skipTypename: true, ...config } }],
        pluginMap: { operations },
        config: {},
      })
    const text = await types({ scalars: published })
    expect(text).toContain('uid: string;')
    expect(text).toContain(
      'order: { owner: string, creationDate: string, validTo: number, sellAmount: string, quoteId: number | null } | null',
    )
    await expect(types({})).rejects.toThrow('Unknown scalar type')
  })
})
