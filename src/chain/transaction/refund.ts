import { setTimeout as pause } from 'node:timers/promises'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Order } from '../../domain/order/order.ts'
import { ethFlowAbi } from '../logs/eth-flow-logs.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { available, parseQuantity } from '../rpc/wire.ts'
import type { AccountBalances } from './account-balances.ts'
import { cappedFees, readFees } from './fees.ts'
import { createTransactions } from './transactions.ts'

interface RefundOptions {
  rpc: Rpc
  chainId: number
  privateKey: Hex
  maxFeePerGas: bigint
  balances: Pick<AccountBalances, 'read' | 'cannotPay'>
  log: Log
}

/**
 * The result of a refund. `refused`: by the contract, by its user's code, or because that code needs too much
 * gas. `late`: not mined yet, or too expensive now. `unpaid`: the account lacks coins for the gas.
 */
type RefundOutcome = 'sent' | 'refused' | 'late' | 'unpaid'

/**
 * Requests that the contract that owns an expired order returns the unsold amount to its user.
 * @throws Outage
 */
export type Refund = (order: Order) => Promise<RefundOutcome>

/** The gas limit. The user's code runs when the user is paid, at the cost of the requesting account. */
const maxGas = 300_000n
const waits = { pauseMs: 500, tries: 60 }

/**
 * Creates the refund. Each transaction takes the next nonce that is not mined, so the next one replaces a
 * stuck one.
 */
export function createRefund(options: RefundOptions): Refund {
  const { rpc, chainId, privateKey, maxFeePerGas, balances, log } = options
  const transactions = createTransactions(rpc, chainId, privateKey, log)

  async function estimate(order: Order, data: Hex): Promise<bigint | undefined> {
    try {
      const call = { from: transactions.sender, to: order.owner, data }
      const gas = parseQuantity(await rpc.call('eth_estimateGas', [call]))
      return (gas * 12n) / 10n
    } catch (fault) {
      if (fault instanceof RpcError) return undefined
      throw fault
    }
  }

  return async (order) => {
    const data = refundCall(order)
    const gasLimit = await estimate(order, data)
    if (gasLimit === undefined || gasLimit > maxGas) return 'refused'
    const fees = cappedFees(await readFees(rpc), maxFeePerGas)
    if (!fees) return 'late'
    const cost = gasLimit * fees.maxFeePerGas
    if ((await balances.read(transactions.sender)) < cost) {
      balances.cannotPay(transactions.sender, cost)
      return 'unpaid'
    }
    const { nonce } = await available(transactions.position())
    const signed = await transactions.sign({ nonce, to: order.owner, data, gasLimit, fees })
    const { refusal } = await transactions.broadcast(signed)
    if (refusal !== undefined) {
      log.warn('the node refused a refund', { uid: order.uid, refusal })
      return 'late'
    }
    for (let tries = 0; tries < waits.tries; tries++) {
      const receipt = await transactions.receipt(signed.hash)
      if (receipt) return receipt.success ? 'sent' : 'refused'
      await pause(waits.pauseMs)
    }
    return 'late'
  }
}

/**
 * The call of a refund. The contract knows the order by its digest, which depends on neither the user's
 * expiry nor the quote's id.
 */
function refundCall(order: Order): Hex {
  const data = {
    buyToken: order.buyToken,
    receiver: order.receiver,
    sellAmount: order.sellAmount,
    buyAmount: order.buyAmount,
    appData: order.appData,
    feeAmount: order.feeAmount,
    validTo: order.effectiveValidTo,
    partiallyFillable: order.partiallyFillable,
    quoteId: 0,
  }
  return ethFlowAbi.encodeFunctionData('invalidateOrder', [data]) as Hex
}
