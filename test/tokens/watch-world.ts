import { Interface } from 'ethers'
import type { Role } from '../../src/app/chain/loops.ts'
import pool from '../../src/dev/contracts/artifacts/Pool.json' with { type: 'json' }
import poolFactory from '../../src/dev/contracts/artifacts/PoolFactory.json' with { type: 'json' }
import testToken from '../../src/dev/contracts/artifacts/TestToken.json' with { type: 'json' }
import wrapped from '../../src/dev/contracts/artifacts/WrappedNative.json' with { type: 'json' }
import { type Address, address } from '../../src/domain/evm/address.ts'
import { startTestChain } from '../setup/chain.ts'
import { createTestDatabase } from '../setup/database.ts'
import { eventually } from '../setup/eventually.ts'
import { startWay } from '../setup/way.ts'
import { startProgram, unlimited } from '../setup/world.ts'

const token = new Interface(testToken.abi)
const factory = new Interface(poolFactory.abi)
const writable = [token, new Interface(wrapped.abi), new Interface(pool.abi)]

interface Transaction {
  from: Address
  to: Address
  data?: string
  value?: string
  gas?: string
}

export function transactionOf(
  from: Address,
  to: Address,
  method: string,
  args: unknown[] = [],
  value = 0n,
): Transaction {
  const contract = writable.find((contract) => contract.getFunction(method)) ?? token
  return { from, to, data: contract.encodeFunctionData(method, args), value: `0x${value.toString(16)}` }
}

/** The program over the test chain, by a way that notes what is asked and that can be closed. */
export async function openWatchWorld(
  environment: Record<string, string> = {},
  roles: readonly Role[] = ['serve'],
) {
  const [chain, database] = await Promise.all([startTestChain(), createTestDatabase()])
  const way = await startWay(chain.rpcUrl)
  way.open()
  const networks = [{ network: chain.market.network, rpcUrl: way.rpcUrl }]
  const program = await startProgram(
    { database, chain },
    { ...unlimited, STREAMS_PER_CLIENT: '0', ...environment },
    { networks, roles },
  )
  const { rpc, market } = chain

  let lastSent: Promise<unknown> = Promise.resolve()

  /**
   * One at a time: two at once may get the same nonce.
   * @returns the hash of the transaction, which is not mined yet
   */
  function post(transaction: Transaction): Promise<unknown> {
    const sent = lastSent.then(() => rpc.call('eth_sendTransaction', [transaction]))
    lastSent = sent.catch(() => undefined)
    return sent
  }

  /** @returns the block of the transaction */
  async function send(transaction: Transaction) {
    const hash = await post(transaction)
    return eventually('the transaction is mined', async () => {
      const receipt = await rpc.call<{ status: string; blockNumber: string } | null>(
        'eth_getTransactionReceipt',
        [hash],
      )
      if (receipt?.status === '0x0') throw new Error('reverted')
      return receipt ? Number(receipt.blockNumber) : undefined
    })
  }

  async function read(to: Address, method: string, args: unknown[], contract = token): Promise<string> {
    const data = contract.encodeFunctionData(method, args)
    const returned = await rpc.call<string>('eth_call', [{ to, data }, 'latest'])
    return String(contract.decodeFunctionResult(method, returned)[0])
  }

  return {
    chain,
    market,
    way,
    url: program.url ?? '',
    send,
    post,
    write: (...call: Parameters<typeof transactionOf>) => send(transactionOf(...call)),
    balanceOf: (to: Address, owner: Address) => read(to, 'balanceOf', [owner]),
    allowance: (to: Address, owner: Address) => read(to, 'allowance', [owner, market.network.vaultRelayer]),
    coinOf: async (owner: Address) => String(BigInt(await rpc.call('eth_getBalance', [owner, 'latest']))),
    poolOf: async (one: Address, other: Address) =>
      address(await read(market.network.poolFactory, 'getPair', [one, other], factory)),
    blockNumber: async () => Number(await rpc.call('eth_blockNumber')),
    async [Symbol.asyncDispose]() {
      way.open()
      await program.close()
      await way[Symbol.asyncDispose]()
      await chain[Symbol.asyncDispose]()
      await database[Symbol.asyncDispose]()
    },
  }
}

export type WatchWorld = Awaited<ReturnType<typeof openWatchWorld>>
