import { toQuantity } from 'ethers'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import type { Address } from '../../domain/evm/address.ts'

/** Without `to` it creates a contract. */
export interface StagedTransaction {
  to?: Address
  data: string
  value?: bigint
}

/** Collects transactions of unlocked accounts and mines them together, in the order in which each sender sent them. */
export interface Stage {
  send(from: { address: Address }, transaction: StagedTransaction): void
  /** @throws when a transaction is not mined or fails */
  mine(): Promise<void>
}

/** Room for the largest contract; a block holds no more than what its transactions may use. */
const creationGas = 5_000_000n
const callGas = 2_000_000n
const deploymentSize = 5_000

/** @param rpc of a chain whose mining is off and on which nobody else sends */
export function createStage(rpc: Rpc): Stage {
  const nonces = new Map<Address, number>()
  let waiting: Record<string, string>[] = []

  return {
    send({ address: from }, { to, data, value = 0n }) {
      const nonce = nonces.get(from) ?? 0
      nonces.set(from, nonce + 1)
      const gas = data.length > deploymentSize ? creationGas : callGas
      const numbers = { value: toQuantity(value), nonce: toQuantity(nonce), gas: toQuantity(gas) }
      waiting.push({ from, ...(to && { to }), data, ...numbers })
    },
    async mine() {
      const calls = waiting.map((transaction) => ({ method: 'eth_sendTransaction', params: [transaction] }))
      waiting = []
      const hashes = await answersOf(rpc, calls)
      await rpc.call('evm_mine')
      const questions = hashes.map((hash) => ({ method: 'eth_getTransactionReceipt', params: [hash] }))
      const receipts = await answersOf(rpc, questions)
      const failed = receipts.findIndex((receipt) => !isSuccess(receipt))
      if (failed >= 0)
        throw new Error(`transaction ${failed} of ${receipts.length} for the local market failed`)
    },
  }
}

async function answersOf(rpc: Rpc, calls: { method: string; params: unknown[] }[]): Promise<unknown[]> {
  const answers = await rpc.batch(calls)
  return answers.map((answer) => {
    if ('error' in answer) throw answer.error
    return answer.value
  })
}

function isSuccess(receipt: unknown): boolean {
  return typeof receipt === 'object' && receipt !== null && 'status' in receipt && receipt.status === '0x1'
}
