import { toQuantity } from 'ethers'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../domain/evm/address.ts'

/** Creates a contract if `to` is missing. */
export interface StagedTransaction {
  to?: Address
  data: string
  value?: bigint
}

/** Collects transactions of unlocked accounts and mines them together, in order for each sender. */
export interface Stage {
  send(from: { address: Address }, transaction: StagedTransaction): void
  /** @throws when a transaction is not mined or fails */
  mine(): Promise<void>
}

/** Enough for the largest contract. The gas limits of all transactions must fit into one block. */
const creationGas = 5_000_000n
const callGas = 2_000_000n
const deploymentSize = 5_000

/** @param rpc of a chain whose mining is off, and to which no other client sends transactions */
export function createStage(rpc: Rpc): Stage {
  const nonces = new Map<Address, number>()
  let pending: Record<string, string>[] = []

  return {
    send({ address: from }, { to, data, value = 0n }) {
      const nonce = nonces.get(from) ?? 0
      nonces.set(from, nonce + 1)
      const gas = data.length > deploymentSize ? creationGas : callGas
      const numbers = { value: toQuantity(value), nonce: toQuantity(nonce), gas: toQuantity(gas) }
      pending.push({ from, ...(to && { to }), data, ...numbers })
    },
    async mine() {
      const calls = pending.map((transaction) => ({ method: 'eth_sendTransaction', params: [transaction] }))
      pending = []
      const hashes = await batchValues(rpc, calls)
      await rpc.call('evm_mine')
      const receiptCalls = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      const receipts = await batchValues(rpc, receiptCalls)
      const failed = receipts.findIndex((receipt) => !isSuccess(receipt))
      if (failed >= 0)
        throw new Error(`transaction ${failed} of ${receipts.length} for the local market failed`)
    },
  }
}

async function batchValues(rpc: Rpc, calls: { method: string; params: unknown[] }[]): Promise<unknown[]> {
  const answers = await rpc.batch(calls)
  return answers.map((answer) => {
    if ('error' in answer) throw answer.error
    return answer.value
  })
}

function isSuccess(receipt: unknown): boolean {
  return typeof receipt === 'object' && receipt !== null && 'status' in receipt && receipt.status === '0x1'
}
