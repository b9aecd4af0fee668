import { Interface } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import {
  approveCall,
  balanceCheck,
  balanceNote,
  hooksCall,
  swapCall,
  transferCall,
  unwrapCall,
} from '../../../src/domain/settlement/calldata.ts'
import { numbered } from '../../fakes/order.ts'

const abi = new Interface([
  'function transfer(address, uint256)',
  'function approve(address, uint256)',
  'function swap(uint256, uint256, address, bytes)',
  'function withdraw(uint256)',
])

const amount = fc.bigInt({ min: 0n, max: maxUint256 })
const account: fc.Arbitrary<Address> = fc
  .bigInt({ min: 0n, max: 2n ** 160n - 1n })
  .map((number) => address(`0x${number.toString(16).padStart(40, '0')}`))

test('calls equal those of the ABI encoder of ethers', () => {
  fc.assert(
    fc.property(account, account, amount, amount, (target, to, one, other) => {
      const same = (call: ReturnType<typeof transferCall>, name: string, values: unknown[]) =>
        expect(call).toEqual({ target, value: 0n, callData: abi.encodeFunctionData(name, values) })
      same(transferCall(target, to, one), 'transfer', [to, one])
      same(approveCall(target, to, one), 'approve', [to, one])
      same(swapCall(target, one, other, to), 'swap', [one, other, to, '0x'])
      same(unwrapCall(target, one), 'withdraw', [one])
    }),
  )
})

test.each([-1n, maxUint256 + 1n])('%d is refused as an amount', (wrong) => {
  expect(() => transferCall(numbered('11'), numbered('12'), wrong)).toThrow(RangeError)
})

const guard = new Interface([
  'function execute((address, bytes, uint256)[])',
  'function note(address[])',
  'function check(address[], int256[])',
])

test('hooks keep their order and gas, and the guard gets each token with its least change', () => {
  const [target, one, other] = [numbered('11'), numbered('12'), numbered('13')]
  const called = (name: string, values: unknown[]) => ({
    target,
    value: 0n,
    callData: guard.encodeFunctionData(name, values),
  })
  const hooks = [
    { target: one, callData: '0x1234', gasLimit: 5n },
    { target: other, callData: '0x', gasLimit: 6n },
  ] as const
  const tuples = hooks.map((hook) => [hook.target, hook.callData, hook.gasLimit])
  expect(hooksCall(target, hooks)).toEqual(called('execute', [tuples]))
  expect(balanceNote(target, [one, other])).toEqual(called('note', [[one, other]]))
  const least = [
    [one, 3n],
    [other, -4n],
  ] as const
  expect(balanceCheck(target, least)).toEqual(
    called('check', [
      [one, other],
      [3n, -4n],
    ]),
  )
})
