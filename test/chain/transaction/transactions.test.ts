import { expect, test } from 'vitest'
import { type Rpc, RpcError } from '../../../src/chain/rpc/rpc.ts'
import { createTransactions } from '../../../src/chain/transaction/transactions.ts'
import { Outage } from '../../../src/domain/errors/error.ts'
import { numbered } from '../../fakes/order.ts'
import { silentLog } from '../../fakes/silent-log.ts'

const key = '0x59c6995e998f97a5a0044966f0945389dc9e86dae88c7a8412f4603b6b78690d'

/** What a broadcast returns and warns of, where the node refuses it and then says whether it has it. */
async function broadcast(known: () => unknown) {
  const warnings: string[] = []
  const rpc = {
    async call(method: string) {
      if (method === 'eth_sendRawTransaction') throw new RpcError('already imported', -32_000)
      return known()
    },
  } as unknown as Rpc
  const log = { ...silentLog, warn: (message: string) => void warnings.push(message) }
  const { sign, broadcast } = createTransactions(rpc, 1, key, log)
  const fees = { maxFeePerGas: 1n, maxPriorityFeePerGas: 1n }
  const transaction = await sign({ nonce: 0, to: numbered('aa'), data: '0x', gasLimit: 21_000n, fees })
  const { refusal } = await broadcast(transaction)
  return { refusal, warnings: warnings.length }
}

test('a transaction that the node has already is no news, and one that it may have is', async () => {
  expect(await broadcast(() => ({}))).toEqual({ refusal: undefined, warnings: 0 })
  expect(await broadcast(() => null)).toEqual({ refusal: 'already imported', warnings: 0 })
  const away = () => Promise.reject(new Outage('the network node'))
  expect(await broadcast(away)).toEqual({ refusal: undefined, warnings: 1 })
})
