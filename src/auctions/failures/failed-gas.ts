import { type Address, nativeMarker } from '../../domain/evm/address.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pause } from '../../domain/order/event.ts'
import { accountOf, type Order } from '../../domain/order/order.ts'
import {
  type ExceededGas,
  exceededGas,
  failedGasLimits,
  nothingExceeded,
} from '../../domain/settlement/failed-gas.ts'
import { failedSettlements, tradesAfter } from '../../storage/auction/failed-gas.ts'
import type { Database } from '../../storage/database/database.ts'

/** The gas that failed transactions cost the service, by what it is lost on. It outlasts a restart. */
export interface FailedGas {
  /** Reads it at a new block. */
  refresh(block: number): Promise<void>
  /** Why the order is left out for now; undefined if it is not. */
  pauseOf(order: Order): Pause | undefined
  /** Why no trade goes through the token for now; undefined if trades may. */
  pauseOfToken(token: Address): Pause | undefined
}

const dayMs = 86_400_000

export function createFailedGas({
  db,
  network: { chainId, blockTimeMs, wrappedNative },
}: {
  db: Database
  network: Pick<Network, 'chainId' | 'blockTimeMs' | 'wrappedNative'>
}): FailedGas {
  let exceeded: ExceededGas = nothingExceeded
  const pauseOfToken = (address: Address): Pause | undefined => {
    const gas = exceeded.tokens.get(address)
    return gas === undefined
      ? undefined
      : { ...spent(gas, 'with the token'), failing: { kind: 'token', address } }
  }
  return {
    async refresh(block) {
      const after = block - Math.ceil(dayMs / blockTimeMs)
      const failed = await failedSettlements(db, chainId, after)
      const total = failed.reduce((sum, { gas }) => sum + gas, 0n)
      // Most days nothing comes near a limit.
      const isNear = total > failedGasLimits.order
      exceeded = isNear
        ? exceededGas(failed, await tradesAfter(db, chainId, after, failed), wrappedNative)
        : nothingExceeded
    },
    pauseOfToken,
    pauseOf(order) {
      const ofOrder = exceeded.orders.get(order.id)
      if (ofOrder !== undefined) return spent(ofOrder, 'with the order')
      const ofAccount = exceeded.accounts.get(accountOf(order))
      if (ofAccount !== undefined) return spent(ofAccount, 'with orders of the account')
      const bought = order.buyToken === nativeMarker ? wrappedNative : order.buyToken
      return pauseOfToken(order.sellToken) ?? pauseOfToken(bought)
    },
  }
}

function spent(gas: bigint, what: string): Pause {
  return {
    reason: 'failed_gas_spent',
    revert: `transactions ${what} that failed on chain used ${gas} gas within a day`,
  }
}
