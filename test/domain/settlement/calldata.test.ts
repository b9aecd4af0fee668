import { Interface } from 'ethers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { maxUint256 } from '../../../src/domain/amount.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import { approveCall, swapCall, transferCall, unwrapCall } from '../../../src/domain/settlement/calldata.ts'
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
