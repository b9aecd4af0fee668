import { Interface } from 'ethers'
import { describe, expect, test } from 'vitest'
import { endRights, possibleRights } from '../../src/auctions/end-rights.ts'
import type { Block } from '../../src/chain/chain.ts'
import type { Settler } from '../../src/chain/settlement/settler.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Network } from '../../src/domain/network/network.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { addressWord, endCall, type Right, type RightKind } from '../../src/domain/settlement/rights.ts'
import type { Solver } from '../../src/solvers/solver.ts'
import { fakeOf } from '../fakes/fake-of.ts'
import { numbered } from '../fakes/order.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'

const settlement = numbered('5e')
const contract = numbered('c0')
const heir = address('0x4e1700000000000000000000000000000000beef')
const abi = new Interface([
  'function grant(address manager, bool allowed)',
  'function multicall(bytes[] calls)',
  'function pass(address target, bytes data)',
])
const call = (method: string, values: readonly unknown[], target = contract): Interaction => ({
  target,
  value: 0n,
  callData: abi.encodeFunctionData(method, values) as Hex,
})
const granting = call('grant', [heir, true])
const rightsOf = (calls: readonly Interaction[], grantee: Address): RightKind[] =>
  possibleRights(new Set([contract]), calls, [], settlement)
    .filter((right) => right.grantee === grantee)
    .map(({ kind }) => kind)

const unlogged: RightKind[] = [
  'erc20Allowance',
  'operator',
  'erc6909Operator',
  'erc777Operator',
  'balancerRelayer',
  'creditDelegation',
  'morphoAuthorization',
  'compoundManager',
]

describe('rights that a settlement may have given', () => {
  test.each<[string, Interaction]>([
    ['a call', granting],
    [
      'several calls in one',
      call('multicall', [
        [call('grant', [address(`0x${'0'.repeat(36)}4e17`), true]).callData, granting.callData],
      ]),
    ],
    ['a call in a call', call('pass', [contract, granting.callData])],
    ['a call in two calls', call('pass', [contract, call('pass', [contract, granting.callData]).callData])],
  ])('are looked for by the accounts in %s', (_, outer) => {
    expect(rightsOf([outer], heir)).toEqual(unlogged)
  })

  test('are looked for by the contracts that are called', () => {
    expect(rightsOf([{ ...granting, target: heir, callData: '0x' }], heir)).toEqual(unlogged)
  })

  test.each<[RightKind, string, readonly (Address | bigint)[], readonly bigint[]]>([
    ['erc721Item', 'Approval(address,address,uint256)', [settlement, heir, 3n], []],
    ['erc6909Allowance', 'Approval(address,address,uint256,uint256)', [settlement, heir, 3n], [9n]],
    [
      'permit2Allowance',
      'Approval(address,address,address,uint160,uint48)',
      [settlement, numbered('70'), heir],
      [9n, 9n],
    ],
  ])('%s is known by its log', (kind, event, indexed, values) => {
    const word = (value: Address | bigint) =>
      typeof value === 'string' ? addressWord(value) : (`0x${value.toString(16).padStart(64, '0')}` as const)
    const log = {
      address: contract,
      topics: [keccakText(event), ...indexed.map(word)],
      data: `0x${values.map((value) => word(value).slice(2)).join('')}` as Hex,
    }
    expect(possibleRights(new Set(), [], [log], settlement)).toMatchObject([
      { kind, contract, grantee: heir },
    ])
  })

  test('small numbers name no account, and there is an end', () => {
    const numbers = call('grant', [address(`0x${'0'.repeat(36)}4e17`), true])
    expect(possibleRights(new Set([contract]), [numbers], [], settlement)).toHaveLength(unlogged.length)
    const crowd = Array.from({ length: 100 }, (_, index) =>
      call('grant', [address(`0x4e17${index.toString(16).padStart(36, '0')}`), true]),
    )
    expect(possibleRights(new Set([contract]), crowd, [], settlement)).toHaveLength(64 * unlogged.length)
  })
})

test('those that exist are ended by the account of the built-in solver, without those whose contract refuses', async () => {
  const giver = numbered('91')
  const own = numbered('51')
  const given = unlogged.map((kind): Right => ({ kind, contract, grantee: heir, subject: null }))
  const open = new Set<RightKind>(['operator', 'compoundManager', 'balancerRelayer'])
  const sent: [Address, Hex][] = []
  const settler = (account: Address) => ({
    address: account,
    simulate: async (calldata: Hex) =>
      calldata.includes(endCall(given[4] as Right, settlement).callData.slice(2))
        ? { revert: 'refused' }
        : { gas: 100_000n },
    submit: async (calldata: Hex) => {
      sent.push([account, calldata])
      for (const right of given)
        if (calldata.includes(endCall(right, settlement).callData.slice(2))) open.delete(right.kind)
      return { outcome: 'success', block: 1, txHash: `0x${'1'.repeat(64)}` }
    },
  })
  const logged: [string, unknown][] = []
  const outside = fakeOf<NonNullable<Solver['outside']>>({})
  const services = {
    network: { name: 'local', settlement } as Network,
    head: async () => ({ number: 1 }) as Block,
    settlers: new Map([giver, own].map((account) => [account, settler(account) as unknown as Settler])),
    solvers: [fakeOf<Solver>({ address: giver, name: 'thief', outside }), fakeOf<Solver>({ address: own })],
    rights: async (rights: readonly Right[]) =>
      rights.map((right) => ({ ...right, value: open.has(right.kind) ? 1n : 0n })),
    log: {
      ...silentLog,
      warn: (message: string, fields?: Record<string, unknown>) =>
        void logged.push([message, fields?.rights]),
      error: (message: string, fields?: Record<string, unknown>) =>
        void logged.push([message, fields?.rights]),
    },
  }
  endRights(given, giver, services, new AbortController().signal)
  await eventually('both are logged', () => logged.length === 2)
  expect(sent.map(([account]) => account)).toEqual([own])
  const text = (kind: RightKind) => `${kind} of ${contract} for ${heir} 1`
  expect(logged).toEqual([
    ['rights of the settlement contract are ended', [text('operator'), text('compoundManager')]],
    ['rights of the settlement contract are not ended', [text('balancerRelayer')]],
  ])
})
