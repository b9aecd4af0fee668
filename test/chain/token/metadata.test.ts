import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Rpc, type RpcCall, RpcError } from '../../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../../src/chain/rpc/wire.ts'
import { readTokenMetadata } from '../../../src/chain/token/metadata.ts'
import testToken from '../../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { Outage } from '../../../src/domain/errors/error.ts'
import { type Address, address } from '../../../src/domain/evm/address.ts'
import type { Hex } from '../../../src/domain/evm/hex.ts'
import { codeReturning, type Evm, startEvm } from '../../setup/evm.ts'
import { countRequests } from '../counted-rpc.ts'
import { number, speakingCode, text } from '../speaking-code.ts'

const chainId = 31337
let evm: Evm
beforeAll(async () => {
  evm = await startEvm()
})
afterAll(() => evm[Symbol.asyncDispose]())

let last = 0x7000
async function put(code: Hex): Promise<Address> {
  const at = address(`0x${(++last).toString(16).padStart(40, '0')}`)
  await evm.rpc.call('anvil_setCode', [at, code])
  return at
}
const times = <T>(count: number, make: (index: number) => T) =>
  Array.from({ length: count }, (_, i) => make(i))
const honest = speakingCode([text('HON'), text('Honest'), number(6n)])
const silent = { symbol: null, name: null, decimals: null }
const honestMetadata = { symbol: 'HON', name: 'Honest', decimals: 6 }
const read = (addresses: readonly Address[], rpc: Rpc = evm.rpc) => readTokenMetadata(rpc, chainId, addresses)

test('a token has what its contract returns, and the block of the answer', async () => {
  const token = await evm.deploy(
    testToken,
    ['string', 'string', 'uint8'],
    ['🦊'.repeat(200), 'USD\u0000\n', 6],
  )
  const old = await put(codeReturning(BigInt(`0x${'4d4b52'.padEnd(64, '0')}`)))
  const unused = address(`0x${'0b'.repeat(20)}`)
  const head = await evm.rpc.call<{ number: Hex; hash: Hex }>('eth_getBlockByNumber', ['latest', false])
  const block = { number: Number(head.number), hash: head.hash }
  expect(await read([token.address, unused, old])).toEqual([
    { chainId, address: token.address, symbol: 'USD', name: '🦊'.repeat(100), decimals: 6, block },
    { chainId, address: unused, ...silent, block },
    { chainId, address: old, symbol: 'MKR', name: 'MKR', decimals: null, block },
  ])
})

test('answers of precompiles are not token metadata', async () => {
  const precompiles = times(17, (index) => address(`0x${(index + 1).toString(16).padStart(40, '0')}`))
  expect(await read(precompiles)).toMatchObject(precompiles.map((address) => ({ address, ...silent })))
})

test('an empty request only asks for the block', async () => {
  expect(await read([])).toEqual([])
})

test('the block is null if another one arrived meanwhile', async () => {
  const token = await put(honest)
  const moving: Rpc = {
    ...evm.rpc,
    async batch(calls) {
      const answers = await evm.rpc.batch(calls.slice(0, -1))
      await evm.mine()
      return [...answers, ...(await evm.rpc.batch(calls.slice(-1)))]
    },
  }
  expect(await read([token], moving)).toEqual([{ chainId, address: token, ...honestMetadata, block: null }])
})

describe('hostile contracts beside honest ones', () => {
  /**
   * Does everything that one of them could do to a whole call, at once: uses up its gas, and returns as much
   * as is read.
   */
  const worst: Hex = '0x5b5a610fa0106000576103e86000f3'

  test.each<[string, Hex, object]>([
    ['return 440,000 bytes', '0x6206b6c06000f3', silent],
    ['return as many bytes as their gas allows', '0x6203a9806000f3', { ...silent, decimals: 0 }],
    ['revert with as many', '0x6203a9806000fd', silent],
    ['run until their gas is used up', '0x5b600056', silent],
    ['are no code at all', '0xfe', silent],
    ['use up their gas and return as much as is read', worst, { ...silent, decimals: 0 }],
  ])('that %s cost little, and lose only their own answer', async (_what, code, says) => {
    const wanted = await Promise.all(times(106, (index) => put(index % 20 === 7 ? honest : code)))
    let received = 0
    const counted = countRequests({
      ...evm.rpc,
      async batch(calls) {
        const answers = await evm.rpc.batch(calls)
        received += JSON.stringify(answers).length
        return answers
      },
    })
    const before = process.cpuUsage()
    const answers = await read(wanted, counted.rpc)
    const { user, system } = process.cpuUsage(before)
    expect(answers).toMatchObject(
      wanted.map((address, index) => ({ address, ...(index % 20 === 7 ? honestMetadata : says) })),
    )
    expect(counted.requests).toBe(1)
    expect(received).toBeLessThan(300_000)
    expect((user + system) / 1_000).toBeLessThan(250)
  })

  test('128 of the longest names are read in one batch', async () => {
    const long = speakingCode([text('🦊'.repeat(5_000)), text('🐻'.repeat(101)), number(255n)])
    const wanted = await Promise.all(times(128, () => put(long)))
    const counted = countRequests(evm.rpc)
    const expected = { symbol: '🦊'.repeat(100), name: '🐻'.repeat(100), decimals: 255 }
    expect(await read(wanted, counted.rpc)).toMatchObject(wanted.map((address) => ({ address, ...expected })))
    expect(counted.requests).toBe(1)
  })

  test('are read one by one where all of them are too much for the node', async () => {
    const hostile = await Promise.all(times(19, () => put(worst)))
    const wanted = [...hostile, await put(honest)]
    const counted = countRequests(stingy(8_000_000))
    expect(await read(wanted, counted.rpc)).toMatchObject(
      wanted.map((_, index) => (index < 19 ? { decimals: 0 } : honestMetadata)),
    )
    expect(counted.requests).toBe(2)
  })

  test('are the only ones without an answer where one of them is too much for the node', async () => {
    const [good, bad] = [await put(honest), await put(honest)]
    const late = new RpcError('execution aborted (timeout = 5s)', -32000)
    const slow: Rpc = {
      ...evm.rpc,
      batch: async (calls) => {
        const answers = await evm.rpc.batch(calls)
        return answers.map((answer, index) => (names(calls[index], bad) ? { error: late } : answer))
      },
    }
    const [first, second, third] = await read([good, bad, await put(honest)], slow)
    expect([first, third]).toMatchObject([honestMetadata, honestMetadata])
    expect(second).toBeInstanceOf(Outage)
  })
})

test('a node that is short of gas is an outage, and no token counts as silent', async () => {
  const token = await put(honest)
  expect(await read([token], stingy(200_000))).toEqual([expect.any(Outage)])
})

test.each([
  ['too little', '0x00'],
  ['too much', `0x${'00'.repeat(97)}`],
  ['a size that is none', `0x${'ff'.repeat(96)}`],
  ['no hex', 17],
])('a node that returns %s is an outage', async (_what, value) => {
  const nonsense: Rpc = {
    ...evm.rpc,
    batch: async (calls) => {
      const answers = await evm.rpc.batch(calls)
      return answers.map((answer, index) => (calls[index]?.method === 'eth_call' ? { value } : answer))
    },
  }
  expect(await read([await put(honest)], nonsense)).toEqual([expect.any(Outage)])
})

/** A node that limits the gas of every call. */
function stingy(gasLimit: number): Rpc {
  const limit = ({ method, params = [] }: RpcCall) => {
    const [call, block] = params as [{ gas: Hex }, unknown]
    if (method !== 'eth_call') return { method, params }
    return { method, params: [{ ...call, gas: toQuantity(Math.min(gasLimit, Number(call.gas))) }, block] }
  }
  return { call: evm.rpc.call, batch: (calls) => evm.rpc.batch(calls.map(limit)) }
}

const names = (call: RpcCall | undefined, token: Address) => JSON.stringify(call).includes(token.slice(2))
