import { AbiCoder } from 'ethers'
import { expect, test } from 'vitest'
import { parseProgrammaticLog } from '../../../src/chain/logs/programmatic-logs.ts'
import { addressWord } from '../../../src/domain/settlement/rights.ts'
import { ids, owner, paramsOf, rootAB, word } from '../../domain/programmatic/vectors.ts'
import { numbered } from '../../fakes/order.ts'

const contracts = { composableCow: numbered('cc'), firstBlock: 0, shedFactories: [numbered('fc')] }
const topics = {
  created: '0x2cceac5555b0ca45a3744ced542f54b56ad2eb45e521962372eef212a2cbf361',
  rootSet: '0x58662f46b4a87d0f96d929b24c37fe25c55d52c0025d0b2bec3936534cc31e57',
  shedBuilt: '0xbd9f8ca768e3ce4aca2c83d15c9c45fa3a0e0a5f5ac6ab6dc8c08d96260ad6dc',
  guardSet: '0x41f583e2d25b3921afe66987b63b0b5e4cf2acbbbed4a477fd19a22180f3f859',
}
const place = { blockNumber: 5, blockHash: word(5), logIndex: 2, txHash: word(6) }
const encode = (types: string[], values: unknown[]) => AbiCoder.defaultAbiCoder().encode(types, values)

function raw(topic: string, data: string, { by = contracts.composableCow, of = [addressWord(owner)] } = {}) {
  const { blockHash, txHash: transactionHash } = place
  return {
    address: by,
    topics: [topic, ...of],
    data,
    blockNumber: '0x5',
    blockHash,
    logIndex: '0x2',
    transactionHash,
  }
}
const parse = (log: object) => parseProgrammaticLog(log, contracts)

const { handler, salt, staticInput } = paramsOf('A')
const params = (input: string = staticInput) =>
  encode(['tuple(address,bytes32,bytes)'], [[handler, salt, input]])
const root = (data: string) => encode(['bytes32', 'tuple(uint256,bytes)'], [rootAB, [1, data]])

test('a creation has the id of its terms', () => {
  expect(parse(raw(topics.created, params()))).toEqual({
    type: 'creation',
    ...place,
    owner,
    hash: ids.A,
    params: paramsOf('A'),
  })
})

test('a root has its leaves, unless they are larger than what is kept', () => {
  const parsed = { type: 'root', ...place, owner, root: rootAB, location: 1n }
  expect(parse(raw(topics.rootSet, root('0x1234')))).toEqual({ ...parsed, data: '0x1234' })
  expect(parse(raw(topics.rootSet, root(`0x${'12'.repeat(65_537)}`)))).toEqual({ ...parsed, data: null })
})

test('a proxy is that of a factory', () => {
  const data = encode(['address', 'address'], [numbered('a1'), numbered('5e')])
  const built = raw(topics.shedBuilt, data, { by: numbered('fc'), of: [] })
  expect(parse(built)).toEqual({ type: 'shed', ...place, account: numbered('a1'), shed: numbered('5e') })
  expect(parse({ ...built, address: contracts.composableCow })).toBeUndefined()
})

test('events of other contracts, and other events, are left out', () => {
  expect(parse(raw(topics.created, params(), { by: numbered('fc') }))).toBeUndefined()
  expect(parse(raw(topics.guardSet, word(1)))).toBeUndefined()
  expect(parse(raw(topics.created, params(), { of: [] }))).toBe('malformed')
})

test.each([
  ['data cut short', params().slice(0, -64)],
  ['no data', '0x'],
  ['an input of more than 16,384 bytes', params(`0x${'00'.repeat(16_385)}`)],
])('a creation with %s is malformed', (_, data) => {
  expect(parse(raw(topics.created, data))).toBe('malformed')
})
