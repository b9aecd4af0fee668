import { AbiCoder } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Rpc, RpcError } from '../../../src/chain/rpc/rpc.ts'
import { minedHooks } from '../../../src/chain/settlement/hook-calls.ts'
import type { Hook } from '../../../src/domain/app-data/document.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { hooksCall } from '../../../src/domain/settlement/calldata.ts'
import { assignHookCalls, hookResult } from '../../../src/domain/settlement/hooks.ts'
import { ether, startTradeStage, type TradeStage } from '../trade-stage.ts'

let stage: TradeStage
beforeAll(async () => {
  stage = await startTradeStage()
})
afterAll(() => stage?.[Symbol.asyncDispose]())

let contracts = 0
async function contract(code: string): Promise<Address> {
  const at = address(`0x${(0xc0de_0000 + contracts++).toString(16).padStart(40, '0')}`)
  await stage.evm.rpc.call('anvil_setCode', [at, code])
  return at
}

const hook = (target: Address, gasLimit = 100_000n, callData: Hex = '0x'): Hook => ({
  target,
  callData,
  gasLimit,
})
const counting = '0x6001600054016000550000'
const burning = '0x5b600056'
/** Reverts with this data, which follows the code. */
const revertingWith = (data: Hex) => {
  const length = ((data.length - 2) / 2).toString(16).padStart(4, '0')
  return `0x61${length}600e60003961${length}6000fd${data.slice(2)}`
}
const error = (text: string) =>
  `0x08c379a0${AbiCoder.defaultAbiCoder().encode(['string'], [text]).slice(2)}` as Hex
/** Calls a contract with all the gas that it may forward, then `rest`. */
const calling = (target: Address, rest: string) =>
  `0x60006000600060006000${`73${target.slice(2)}`}5af1${rest}`

/** Mines a settlement with these hooks, and reads the hash of its transaction before it is taken back. */
function settling<Result>(
  { pre = [], post = [], direct }: { pre?: Hook[]; post?: Hook[]; direct?: Address },
  read: (txHash: Hex) => Promise<Result>,
): Promise<Result> {
  const { a, b } = stage.tokens
  const { hooksTrampoline } = stage.network
  const { interactions, amountOut } = stage.walk([a, b], ether)
  const beside = direct ? [{ target: direct, value: 0n, callData: '0x' as const }] : []
  const run = (hooks: Hook[]) => (hooks.length > 0 ? [hooksCall(hooksTrampoline, hooks)] : [])
  return stage.trying(async () => {
    await stage.settle({
      kind: 'sell',
      from: address(`0x${'7a'.repeat(20)}`),
      receiver: null,
      sellToken: a,
      buyToken: b,
      sellAmount: ether,
      buyAmount: amountOut,
      others: [],
      txOrigin: stage.evm.account,
      block: null,
      preInteractions: [...beside, ...run(pre)],
      interactions: [...interactions, ...beside],
      postInteractions: [...beside, ...run(post)],
    })
    const { transactions } = await stage.evm.rpc.call<{ transactions: Hex[] }>('eth_getBlockByNumber', [
      'latest',
      false,
    ])
    return read(transactions[0] ?? '0x')
  })
}

const missing = () => {
  throw new RpcError('the method does not exist', -32601)
}
/** The node with one of its two formats of traces. */
const withOnly = (method: string): Rpc => ({
  ...stage.evm.rpc,
  call: (asked, params) => (asked === method ? stage.evm.rpc.call(asked, params) : missing()),
})

async function resultsOf(txHash: Hex, hooks: { pre: Hook[]; post: Hook[] }, rpc: Rpc = stage.evm.rpc) {
  const mined = await minedHooks(rpc, stage.network, txHash)
  if ('fault' in mined) return mined.fault
  return mined.settlements.map((settled) =>
    (['pre', 'post'] as const).map((phase) =>
      assignHookCalls(hooks[phase], settled?.[phase] ?? []).map((call, index) => {
        const result = call && hookResult(call, hooks[phase][index] as Hook)
        return result && `${result.outcome}${result.reason === null ? '' : ` ${result.reason}`}`
      }),
    ),
  )
}

describe.each(['debug_traceTransaction', 'trace_transaction'])(
  'the hooks of a settlement by %s',
  (method) => {
    test('succeeded, reverted with a reason, or ran out of gas', async () => {
      const burner = await contract(burning)
      const pre = [
        hook(await contract(counting)),
        hook(await contract(revertingWith(error('the deadline is over')))),
        hook(await contract(revertingWith(`0x4e487b71${'00'.repeat(31)}11`))),
        hook(await contract(revertingWith(`0xdeadbeef${'12'.repeat(64)}`))),
      ]
      const post = [
        hook(burner),
        hook(await contract(calling(burner, '60006000fd'))),
        hook(await contract(calling(burner, '00'))),
        hook(await contract('0x60006000fd')),
        hook(await contract('0xfe')),
        hook(address(`0x${'ee'.repeat(20)}`)),
        hook(await contract(revertingWith(error('x'.repeat(5_000)))), 1_000_000n),
      ]
      const found = await settling({ pre, post }, (hash) => resultsOf(hash, { pre, post }, withOnly(method)))
      expect(found).toEqual([
        [
          [
            'succeeded',
            'reverted the deadline is over',
            'reverted Panic(0x11)',
            'reverted 0xdeadbeef12121212…',
          ],
          [
            'outOfGas',
            'outOfGas',
            'succeeded',
            'reverted',
            expect.stringMatching(/^reverted .*(opcode|instruction)/i),
            'succeeded',
            `reverted ${'x'.repeat(200)}`,
          ],
        ],
      ])
    })
    test('are only those of the trampoline, before and after the trade', async () => {
      const counter = await contract(counting)
      const outer = hook(await contract(calling(counter, '00')))
      const once = hook(counter)
      const read = (hash: Hex) =>
        resultsOf(hash, { pre: [once, once, outer], post: [once, once] }, withOnly(method))
      expect(await settling({ pre: [outer, once], post: [once, once], direct: counter }, read)).toEqual([
        [
          ['succeeded', undefined, 'succeeded'],
          ['succeeded', 'succeeded'],
        ],
      ])
      expect(await settling({ direct: counter }, read)).toEqual([
        [
          [undefined, undefined, undefined],
          [undefined, undefined],
        ],
      ])
    })

    test('have the gas that they used, and one with another limit is another hook', async () => {
      const counter = await contract(counting)
      const mined = await settling({ post: [hook(counter, 60_000n)] }, (hash) =>
        minedHooks(withOnly(method), stage.network, hash),
      )
      if ('fault' in mined) throw new Error(mined.fault)
      const calls = mined.settlements[0]?.post ?? []
      expect(calls).toEqual([
        { target: counter, callData: '0x', gas: 60_000n, gasUsed: expect.any(BigInt), failure: null },
      ])
      expect(calls[0]?.gasUsed).toBeGreaterThan(20_000n)
      expect(assignHookCalls([hook(counter, 59_999n)], calls)).toEqual([undefined])
    })
  },
)

describe('a settlement whose hooks are not known', () => {
  const hash = `0x${'11'.repeat(32)}` as const
  const ofAnswer = (answer: unknown) => faultOf(async <T>() => answer as T)
  const faultOf = (call: Rpc['call']) => minedHooks({ ...stage.evm.rpc, call }, stage.network, hash)

  test('is one of a node that does not trace, that fails, or whose trace is too large', async () => {
    expect(await faultOf(async () => missing())).toEqual({ fault: 'notOffered' })
    const failing = new RpcError('header not found', -32000)
    expect(await faultOf(() => Promise.reject(failing))).toEqual({ fault: 'failed' })
    expect(await ofAnswer([1])).toEqual({ fault: 'malformed' })
    const frame = { type: 'CALL', to: hash, input: '0x' }
    const many = { ...frame, calls: Array(10_001).fill(frame) }
    expect(await ofAnswer(many)).toEqual({ fault: 'tooLarge' })
  })
})
