import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ConfigError, readAddresses, readSettings } from '../src/config.ts'
import { numbered } from './fakes/order.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'tradegraph-config-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

function file(text: string): string {
  const name = path.join(folder, 'addresses')
  writeFileSync(name, text)
  return name
}

function faultsOf(read: () => unknown): string[] {
  try {
    read()
  } catch (error) {
    if (error instanceof ConfigError) return error.faults
    throw error
  }
  return []
}

test('a list of addresses has one a line, in any letter case, with comments', () => {
  const text = `# sanctions\r\n${numbered('AB').toUpperCase().replace('0X', '0x')}\r\n\n${numbered('cd').slice(2)} # why\n`
  expect([...readAddresses(file(text))]).toEqual([numbered('ab'), numbered('cd')])
  expect(readAddresses(undefined).size).toBe(0)
})

test('every line of a list that is no address is told by its number', () => {
  const name = file(`${numbered('ab')}\n0x12\n${numbered('ab')} ${numbered('cd')}\n`)
  expect(faultsOf(() => readAddresses(name))).toEqual([
    `${name}:2: must be an address`,
    `${name}:3: must be an address`,
  ])
  expect(faultsOf(() => readAddresses(`${folder}/none`))).toEqual([`${folder}/none: can't be read`])
})

test('the bounds of orders are settings', () => {
  expect(readSettings({})).toMatchObject({
    ORDER_MIN_VALIDITY: 60,
    ORDER_MAX_VALIDITY: 31_536_000,
    QUOTE_MAX_VALIDITY: 10_800,
    ORDER_MAX_GAS: 8_000_000,
    ORDER_MAX_OUT_OF_MARKET: 10,
    ORDER_MAX_UIDS: 128,
    APP_DATA_MAX_BYTES: 8_192,
    SAME_TOKEN_ORDERS: 'disallow',
  })
  const wrong = {
    ORDER_MAX_OUT_OF_MARKET: '-1',
    ORDER_MAX_UIDS: '129',
    SAME_TOKEN_ORDERS: 'allow-buy',
    IPFS_GATEWAY: 'ipfs://here',
    ADMIN_API_KEY: 'short',
  }
  expect(faultsOf(() => readSettings(wrong)).map((fault) => fault.split(':', 1)[0])).toEqual(
    expect.arrayContaining(Object.keys(wrong)),
  )
})

test('limits are the interface’s unless set, and no proxy is trusted unless named', () => {
  const usual = readSettings({})
  expect([usual.RATE_LIMIT_READS, usual.RATE_LIMIT_QUOTES, usual.RATE_LIMIT_ORDERS]).toEqual([50, 10, 5])
  expect(usual.TRUSTED_PROXIES).toBeUndefined()
  expect(readSettings({ RATE_LIMIT_ORDERS: '0' }).RATE_LIMIT_ORDERS).toBe(0)
  const trusts = readSettings({ TRUSTED_PROXIES: '10.0.0.0/8, ::1' }).TRUSTED_PROXIES
  expect(['10.1.2.3', '::1', '11.1.2.3'].map((address) => trusts?.(address))).toEqual([true, true, false])
  expect(faultsOf(() => readSettings({ TRUSTED_PROXIES: '10.0.0.0/8,proxy.example' }))).toEqual([
    'TRUSTED_PROXIES: proxy.example is no address or CIDR range',
  ])
})
