import { afterAll, beforeAll, expect, test } from 'vitest'
import { readBalances } from '../../src/chain/balance-reader.ts'
import { type Rpc, RpcError } from '../../src/chain/rpc/rpc.ts'
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { Outage } from '../../src/domain/errors/error.ts'
import { address, nativeMarker } from '../../src/domain/evm/address.ts'
import { numberedAddress } from '../market/pool-chain.ts'
import { type Evm, startEvm } from '../setup/evm.ts'

let evm: Evm
beforeAll(async () => {
  evm = await startEvm()
})
afterAll(() => evm[Symbol.asyncDispose]())

const spender = numberedAddress('5e', 1)
const owner = numberedAddress('0e', 1)

async function coded(index: number, code: string) {
  const at = numberedAddress('c0', index)
  await evm.rpc.call('anvil_setCode', [at, code])
  return at
}

test('a token spoils its own answer alone, whatever it does', async () => {
  const token = await evm.deploy(testToken, ['string', 'string', 'uint8'], ['A', 'A', 18])
  await token.write('mint', [owner, 2n ** 255n])
  await evm.rpc.call('anvil_setBalance', [owner, '0x10'])
  // An endless loop, 64 KiB, one byte, a revert with 64 KiB, and no code.
  const odd = await Promise.all([
    coded(1, '0x5b600056'),
    coded(2, '0x61ffff6000f3'),
    coded(3, '0x60016000f3'),
    coded(4, '0x61ffff6000fd'),
    numberedAddress('c0', 5),
  ])
  const tokens = [...odd.slice(0, 2), token.address, ...odd.slice(2), ...Array(9).fill(odd[0]), nativeMarker]
  const balances = await readBalances(
    evm.rpc,
    tokens.map((of) => ({ owner, token: of })),
    { spender },
  )
  const expected = tokens.map((of) => {
    if (of === token.address) return { balance: 2n ** 255n, allowance: 0n }
    if (of === nativeMarker) return { balance: 16n, allowance: null }
    return of === odd[1] ? { balance: 0n, allowance: 0n } : 'absent'
  })
  expect(balances).toEqual(expected)
})

test('a thousand accounts and a hundred balances are read in one request, at one block', async () => {
  const token = await evm.deploy(testToken, ['string', 'string', 'uint8'], ['A', 'A', 18])
  const owners = Array.from({ length: 1_000 }, (_, index) => numberedAddress('0d', index))
  await evm.rpc.call('anvil_setBalance', [owners[999], '0x7'])
  await token.write('mint', [owners[99], 5n])
  const { hash: blockHash } = await evm.rpc.call<{ hash: `0x${string}` }>('eth_getBlockByNumber', [
    'latest',
    false,
  ])
  await token.write('mint', [owners[99], 5n])
  const requests: number[] = []
  const noting: Rpc = {
    call: evm.rpc.call,
    batch: (calls) => {
      requests.push(calls.length)
      return evm.rpc.batch(calls)
    },
  }
  const holdings = [
    ...owners.slice(0, 100).map((of) => ({ owner: of, token: token.address })),
    ...owners.map((of) => ({ owner: of, token: nativeMarker })),
  ]
  const balances = await readBalances(noting, holdings, { spender, blockHash })
  expect(requests).toEqual([2 + 5])
  expect(balances[99]).toEqual({ balance: 5n, allowance: 0n })
  expect(balances.at(-1)).toEqual({ balance: 7n, allowance: null })
  expect(balances.filter((balance) => balance === 'absent')).toEqual([])
})

test('a call that the node refuses is repeated for each of its tokens; one that stays refused is an outage', async () => {
  const refused = address(`0x${'bad'.padStart(40, '0')}`)
  const refusing: Rpc = {
    call: evm.rpc.call,
    batch: async (calls) => {
      const responses = await evm.rpc.batch(calls)
      return responses.map((response, index) =>
        JSON.stringify(calls[index]).includes(refused.slice(2))
          ? { error: new RpcError('took too long', -32000) }
          : response,
      )
    },
  }
  const holdings = [refused, ...Array.from({ length: 9 }, (_, index) => numberedAddress('ab', index))]
  const balances = await readBalances(
    refusing,
    holdings.map((token) => ({ owner, token })),
    { spender },
  )
  expect(balances[0]).toBeInstanceOf(Outage)
  expect(balances.slice(1)).toEqual(Array(9).fill('absent'))
  await expect(readBalances(refusing, [{ owner, token: refused }], { spender })).rejects.toThrow(Outage)
})
