import { Interface } from 'ethers'
import type { Rpc } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import poolArtifact from '../../src/dev/contracts/artifacts/Pool.json' with { type: 'json' }
import factoryArtifact from '../../src/dev/contracts/artifacts/PoolFactory.json' with { type: 'json' }
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Bytes32 } from '../../src/domain/evm/hex.ts'
import type { Pool } from '../../src/domain/routing/pool.ts'
import { type Evm, startEvm } from '../setup/evm.ts'

/** A real EVM with a pool factory, and tokens that any account can mint. */
export async function startPoolChain() {
  const evm = await startEvm()
  const factory = await evm.deploy(factoryArtifact)
  const mintAbi = new Interface(testToken.abi)
  const poolAbi = new Interface(poolArtifact.abi)

  async function fund(pool: Address, one: Address, amountOne: bigint, other: Address, amountOther: bigint) {
    for (const [to, amount] of [
      [one, amountOne],
      [other, amountOther],
    ] as const)
      await evm.send({ to, data: mintAbi.encodeFunctionData('mint', [pool, amount]) })
    await evm.send({ to: pool, data: poolAbi.encodeFunctionData('mint', [evm.account]) })
  }

  async function createPool(one: Address, other: Address): Promise<Address> {
    await factory.write('createPair', [one, other])
    return address(String(await factory.read('getPair', [one, other])))
  }

  return {
    evm,
    factory: factory.address,
    fund,
    createPool,
    createToken: async () =>
      (await evm.deploy(testToken, ['string', 'string', 'uint8'], ['T', 'T', 18])).address,
    async filledPool(one: Address, amountOne: bigint, other: Address, amountOther: bigint) {
      const pool = await createPool(one, other)
      await fund(pool, one, amountOne, other, amountOther)
      return pool
    },
    newestHash: async () =>
      (await evm.rpc.call<{ hash: Bytes32 }>('eth_getBlockByNumber', ['latest', false])).hash,
  }
}

export type PoolChain = Awaited<ReturnType<typeof startPoolChain>>

/** Reserves as the token and the other one. */
export const reservesOf = (pool: Pool, token: Address) =>
  pool.token0 === token ? [pool.reserve0, pool.reserve1] : [pool.reserve1, pool.reserve0]

/** Records the methods of each round trip. */
export function notingRpc({ rpc }: Pick<Evm, 'rpc'>) {
  const trips: string[][] = []
  const noting: Rpc = {
    call: (method, params) => {
      trips.push([method])
      return rpc.call(method, params)
    },
    batch: (calls) => {
      trips.push(calls.map(({ method }) => method))
      return rpc.batch(calls)
    },
  }
  /** The requests to the node since the last call. */
  return { rpc: noting, trips, taken: () => trips.splice(0) }
}

/** Puts code at addresses that answers every call with these words. */
export async function answerWords(evm: Evm, answers: readonly (readonly [Address, readonly bigint[]])[]) {
  await evm.rpc.batch(
    answers.map(([at, words]) => ({ method: 'anvil_setCode', params: [at, codeReturningWords(words)] })),
  )
  await evm.mine()
}

function codeReturningWords(words: readonly bigint[]): string {
  const store = words.map((word, index) => `7f${hex(word, 32)}61${hex(BigInt(index * 32), 2)}52`)
  return `0x${store.join('')}61${hex(BigInt(words.length * 32), 2)}6000f3`
}

const hex = (value: bigint, bytes: number) => value.toString(16).padStart(bytes * 2, '0')
export const numberedAddress = (prefix: string, index: number): Address =>
  address(
    `0x${prefix}${toQuantity(index)
      .slice(2)
      .padStart(40 - prefix.length, '0')}`,
  )
