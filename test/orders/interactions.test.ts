import { AbiCoder, id } from 'ethers'
import { expect, test } from 'vitest'
import { toInteractions } from '../../src/orders/interactions.ts'
import { numbered } from '../fakes/order.ts'

const trampoline = numbered('60')
const first = { target: numbered('01'), callData: '0xc0ffee', gasLimit: 21_000n } as const
const second = { target: numbered('02'), callData: '0x', gasLimit: 10n ** 19n } as const

function decode(callData: string) {
  expect(callData.slice(0, 10)).toBe(id('execute((address,bytes,uint256)[])').slice(0, 10))
  const [hooks] = AbiCoder.defaultAbiCoder().decode(['(address,bytes,uint256)[]'], `0x${callData.slice(10)}`)
  return hooks.map(([target, data, gas]: [string, string, bigint]) => [target.toLowerCase(), data, gas])
}

test('each list of hooks becomes one call of the trampoline', () => {
  const { pre, post } = toInteractions({ preHooks: [first, second], postHooks: [second] }, trampoline)
  expect([...pre, ...post].map(({ target, value }) => [target, value])).toEqual([
    [trampoline, 0n],
    [trampoline, 0n],
  ])
  const [one, two] = [first, second].map((hook) => [hook.target, hook.callData, hook.gasLimit])
  expect(pre.map(({ callData }) => decode(callData))).toEqual([[one, two]])
  expect(post.map(({ callData }) => decode(callData))).toEqual([[two]])
})

test('no hooks make no call', () => {
  expect(toInteractions({ preHooks: [], postHooks: [] }, trampoline)).toEqual({ pre: [], post: [] })
  expect(toInteractions({ preHooks: [], postHooks: [first] }, trampoline).pre).toEqual([])
})
