import { expect, test } from 'vitest'
import { chainLogs } from '../../../src/chain/logs/chain-logs.ts'
import { tokenLogs, toTokenLogs, transferEvents } from '../../../src/chain/logs/transfer-logs.ts'
import type { Rpc } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import type { Address } from '../../../src/domain/evm/address.ts'
import { zeroAddress } from '../../../src/domain/evm/address.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

/** As block explorers show them. */
const topic = {
  transfer: '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef',
  deposit: '0xe1fffcc4923d04b559f4d29a8bfc6cda04eb5b0d3c460751c2402c5c5cc9109c',
  withdrawal: '0x7fcf532c15f0a6db0bd6d0e038bea71d30d808c7d98cb3bf7268a95bf5081b65',
  settlement: '0x40338ce1a7c49204f0099533b1e9a7ee0a3d261f84974ab7af36105b8c4e9db4',
}
const [weth, token, settlement] = [numbered('c0'), numbered('a0'), numbered('90')]
const [alice, bob] = [numbered('01'), numbered('02')]
const network = {
  chainId: 1,
  ethFlows: [],
  settlement,
  wrappedNative: weth,
  holderTokens: [{ address: token, fromBlock: 0 }],
}

const word = (value: bigint | Address) => `0x${BigInt(value).toString(16).padStart(64, '0')}`
interface Raw {
  address: Address
  topics: string[]
  data: string
  transactionHash: string
  logIndex: string
  [more: string]: unknown
}
let logIndex = 0
function raw(address: Address, topics: string[], data: string, tx = '01'): Raw {
  return {
    address,
    topics,
    data,
    blockNumber: '0x5',
    blockHash: `0x${'b5'.repeat(32)}`,
    logIndex: toQuantity(logIndex++),
    transactionHash: `0x${tx.repeat(32)}`,
  }
}
const transfer = (of: Address, from: Address, to: Address, amount: bigint, tx?: string) =>
  raw(of, [topic.transfer, word(from), word(to)], word(amount), tx)
const deposit = (to: Address, amount: bigint, tx?: string) =>
  raw(weth, [topic.deposit, word(to)], word(amount), tx)
const withdrawal = (from: Address, amount: bigint, tx?: string) =>
  raw(weth, [topic.withdrawal, word(from)], word(amount), tx)

function eventsOf(logs: Raw[]) {
  return toTokenLogs(logs, [weth, token], network).map((log) =>
    log.type === 'transfer' ? [log.from, log.to, log.amount] : log.type,
  )
}

test('a transfer has all its members', () => {
  const log = transfer(token, alice, bob, 2n ** 256n - 1n)
  expect(toTokenLogs([log], [token], network)).toEqual([
    {
      type: 'transfer',
      token,
      from: alice,
      to: bob,
      amount: 2n ** 256n - 1n,
      blockNumber: 5,
      blockHash: `0x${'b5'.repeat(32)}`,
      logIndex: Number(log.logIndex),
      txHash: `0x${'01'.repeat(32)}`,
    },
  ])
})

test('addresses and hashes are in lowercase, whatever case the node writes', () => {
  const log = transfer(token, numbered('ab'), bob, 1n)
  const upper = {
    ...log,
    address: `0x${token.slice(2).toUpperCase()}` as Address,
    topics: log.topics.map((text) => `0x${text.slice(2).toUpperCase()}`),
  }
  expect(eventsOf([upper])).toEqual([[numbered('ab'), bob, 1n]])
})

test.each([
  [
    'a token with a number, as collectibles have',
    raw(token, [topic.transfer, word(alice), word(bob), word(1n)], '0x'),
  ],
  [
    'no indexed parties',
    raw(token, [topic.transfer], `${word(alice)}${word(bob).slice(2)}${word(1n).slice(2)}`),
  ],
  ['no amount', raw(token, [topic.transfer, word(alice), word(bob)], '0x')],
  ['more than an amount', raw(token, [topic.transfer, word(alice), word(bob)], `${word(1n)}00`)],
  ['a party that is no address', raw(token, [topic.transfer, word(2n ** 200n), word(bob)], word(1n))],
  ['wrapping without an account', raw(weth, [topic.deposit], word(1n))],
  ['unwrapping without an amount', raw(weth, [topic.withdrawal, word(alice)], '0x')],
])('a transfer with %s is unreadable, not left out', (_, log) => {
  expect(eventsOf([log])).toEqual(['unreadable'])
})

test('other contracts, other events, and deposits into other tokens than the wrapped coin are left out', () => {
  const other = transfer(numbered('ee'), alice, bob, 1n)
  const approval = raw(token, [word(1n), word(alice), word(bob)], word(1n))
  const foreign = { ...deposit(alice, 1n), address: token }
  expect(eventsOf([other, approval, foreign, raw(token, [], '0x')])).toEqual([])
})

test('wrapping and unwrapping count as transfers from and to the zero address', () => {
  expect(eventsOf([deposit(alice, 5n), withdrawal(alice, 2n)])).toEqual([
    [zeroAddress, alice, 5n],
    [alice, zeroAddress, 2n],
  ])
})

test('wrapping that a transaction logs twice, as deposit and transfer, counts once for each time it happens', () => {
  const both = (tx: string) => [transfer(weth, zeroAddress, alice, 5n, tx), deposit(alice, 5n, tx)]
  expect(eventsOf([...both('01'), ...both('01'), ...both('02')])).toHaveLength(3)
  // Once as transfer and deposit, twice as a deposit alone.
  expect(eventsOf([...both('01'), deposit(alice, 5n), deposit(alice, 5n)])).toHaveLength(3)
  const unwrapped = [withdrawal(bob, 3n), transfer(weth, bob, zeroAddress, 3n)]
  expect(eventsOf(unwrapped)).toEqual([[bob, zeroAddress, 3n]])
})

test('similar logs of another transaction, account, amount, token or direction count separately', () => {
  const like = [
    transfer(weth, zeroAddress, alice, 5n, '02'),
    transfer(weth, zeroAddress, bob, 5n),
    transfer(weth, zeroAddress, alice, 6n),
    transfer(token, zeroAddress, alice, 5n),
    transfer(weth, alice, zeroAddress, 5n),
  ]
  for (const other of like) expect(eventsOf([other, deposit(alice, 5n)])).toHaveLength(2)
})

test('the node is asked only for the followed tokens and events', () => {
  expect(transferEvents([], network)).toEqual([])
  expect(transferEvents([token], network)).toEqual([topic.transfer])
  expect(transferEvents([token, weth], network)).toEqual([topic.transfer, topic.deposit, topic.withdrawal])
})

function nodeWith(logs: unknown[]) {
  const asked: unknown[] = []
  const rpc: Rpc = {
    call: () => Promise.reject(new Error('unused')),
    batch: async (calls) => {
      asked.push(...calls)
      return [{ value: { hash: `0x${'b5'.repeat(32)}` } }, { value: logs }]
    },
  }
  return { rpc, asked }
}

test('one request returns settlements and transfers in order, each parsed by its own rules', async () => {
  const settled = raw(settlement, [topic.settlement, word(bob)], '0x')
  const moved = transfer(token, alice, bob, 1n)
  const { rpc, asked } = nodeWith([
    moved,
    settled,
    raw(token, [topic.settlement, word(bob)], '0x'),
    raw(numbered('ee'), [topic.settlement, word(bob)], '0x'),
    { ...transfer(token, alice, bob, 1n), address: settlement },
  ])
  const logs = await chainLogs({ rpc, network, log: silentLog }, { from: 5, to: 5 })
  expect(logs.map(({ type }) => type)).toEqual(['settlement', 'transfer'])
  expect(asked).toHaveLength(2)
  expect(asked[1]).toMatchObject({ method: 'eth_getLogs', params: [{ address: [settlement, token] }] })
})

test('transfers that the node repeats and shuffles count once, also where wrapping is logged twice', async () => {
  const wrapping = [transfer(weth, zeroAddress, alice, 5n), deposit(alice, 5n)]
  const sent = [...wrapping, transfer(token, alice, bob, 1n), transfer(token, alice, bob, 1n)]
  const { rpc } = nodeWith([...sent].reverse().flatMap((log) => [log, log, log]))
  const logs = await tokenLogs({ rpc, network }, [weth, token], { from: 5, to: 5 })
  expect(logs.map((log) => (log.type === 'transfer' ? [log.token, log.amount] : log.type))).toEqual([
    [weth, 5n],
    [token, 1n],
    [token, 1n],
  ])
})

test('without followed tokens, only settlements are requested', async () => {
  const { rpc, asked } = nodeWith([])
  await chainLogs({ rpc, network: { ...network, holderTokens: [] }, log: silentLog }, { from: 5, to: 5 })
  const [filter] = (asked[1] as { params: [{ address: string[]; topics: string[][] }] }).params
  expect(filter.address).toEqual([settlement])
  expect(filter.topics[0]).toHaveLength(4)
  expect(filter.topics[0]).not.toContain(topic.transfer)
})

test('a log without a block is an outage', () => {
  expect(() => eventsOf([{ ...transfer(token, alice, bob, 1n), blockNumber: null }])).toThrow(Outage)
})
