import type { AuctionServices } from '../../auctions/services.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import {
  type AccountBalances,
  createAccountBalances,
  shortageText,
} from '../../chain/transaction/account-balances.ts'
import { tooDearText } from '../../chain/transaction/fees.ts'
import { accountOf } from '../../chain/transaction/transactions.ts'
import { minOf } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import { goesBy } from '../../domain/network/chains.ts'
import type { Network } from '../../domain/network/network.ts'
import type { ChainMetrics } from '../../server/measures/chain-metrics.ts'
import { maxFeeOf } from '../auctions.ts'
import type { Settings } from '../settings.ts'

interface AccountsOptions {
  network: Network
  rpc: Rpc
  settings: Settings
  log: Log
  metrics: ChainMetrics
}

/** The accounts that pay for gas on one network. */
interface Accounts {
  solvers: AccountBalances
  refunder: AccountBalances
  /** Balances for auctions, which leave out settlements that cannot be paid. */
  inAuctions: AuctionServices['accounts']
}

export function composeAccounts({ network, rpc, settings, log, metrics }: AccountsOptions): Accounts {
  const { REFUND_PRIVATE_KEY: refundKey } = settings
  const solverNames = solversOf(network, settings)
  const refunderNames = new Map<Address, string>(refundKey ? [[accountOf(refundKey), 'refunder']] : [])
  const solvers = createAccountBalances({ rpc, accounts: solverNames, log })
  const refunder = createAccountBalances({ rpc, accounts: refunderNames, log })
  const reports = (names: ReadonlyMap<Address, string>, balances: AccountBalances) =>
    [...names].flatMap(([account, name]) => {
      const balance = balances.of(account)
      return balance === undefined ? [] : [{ account, name, balance }]
    })
  metrics.watchAccounts(network.name, () => [
    ...reports(solverNames, solvers),
    ...reports(refunderNames, refunder),
  ])
  const cap = maxFeeOf(settings)
  return {
    solvers,
    refunder,
    inAuctions: {
      refresh: solvers.refresh,
      refusal(account, gas, gasPrice) {
        // Drivers pay with accounts of their own.
        if (!solverNames.has(account)) return undefined
        if (gasPrice > cap) return { code: 'gas_too_dear', message: tooDearText(gasPrice, cap) }
        // Estimates as for a real settlement: a quarter more gas, at a price that covers a doubled base fee.
        const shortage = solvers.lacking(account, ((gas * 5n) / 4n) * minOf(2n * gasPrice, cap))
        return shortage && { code: 'solver_cannot_pay', message: shortageText(shortage) }
      },
    },
  }
}

/** Names of the solvers whose settlements this program sends, by account. */
function solversOf(
  network: Network,
  { SOLVER_PRIVATE_KEY: builtIn, SOLVERS }: Settings,
): Map<Address, string> {
  const names = new Map<Address, string>(builtIn ? [[accountOf(builtIn), 'built-in']] : [])
  for (const source of SOLVERS) {
    const isAsked = source.network === undefined || goesBy(network, source.network)
    if (isAsked && 'privateKey' in source) names.set(accountOf(source.privateKey), source.name)
  }
  return names
}
