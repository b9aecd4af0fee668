import type { TokenLog } from '../../chain/logs/transfer-logs.ts'
import { zeroAddress } from '../../domain/evm/address.ts'
import type { BalanceChange, RangeChanges } from '../../storage/token/holders.ts'

/** Sums transfers to balance changes by token, holder and block. The zero address counts as no holder. */
export function balanceChanges(logs: readonly TokenLog[]): Pick<RangeChanges, 'changes' | 'unreadable'> {
  const sums = new Map<string, BalanceChange>()
  const add = ({ token, holder, blockNumber, change }: BalanceChange) => {
    if (holder === zeroAddress) return
    const key = `${token}${holder}${blockNumber}`
    const sum = sums.get(key)
    if (sum) sum.change += change
    else sums.set(key, { token, holder, blockNumber, change })
  }
  for (const log of logs) {
    if (log.type === 'unreadable') continue
    const { token, blockNumber, from, to, amount } = log
    add({ token, blockNumber, holder: from, change: -amount })
    add({ token, blockNumber, holder: to, change: amount })
  }
  return {
    changes: [...sums.values()].filter(({ change }) => change !== 0n),
    unreadable: logs.filter(({ type }) => type === 'unreadable'),
  }
}
