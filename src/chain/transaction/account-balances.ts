import { formatUnits, maxOf } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { available, parseQuantity, parseResponse } from '../rpc/wire.ts'

/** The native balances of the accounts that this process sends from, as of the last read. */
export interface AccountBalances {
  /**
   * Reads the balances in one batch, if the last read was some blocks ago. Without the node they stay
   * unchanged.
   */
  refresh(block: number): Promise<void>
  /** Reads one balance now. @throws Outage */
  read(account: Address): Promise<bigint>
  /** Returns a balance; undefined if it was not read yet. */
  of(account: Address): bigint | undefined
  /** Stores that a transaction of this cost could not be paid, until the account has the amount. */
  cannotPay(account: Address, cost: bigint): void
  /** Returns the known shortage of the account for a transaction of this cost. */
  lacking(account: Address, cost: bigint): Shortage | undefined
}

/** A shortage in wei. */
interface Shortage {
  balance: bigint
  cost: bigint
}

interface BalancesOptions {
  rpc: Rpc
  /** The accounts, with names for the log. */
  accounts: ReadonlyMap<Address, string>
  log: Log
}

/** The number of blocks within which an empty account, and one that was funded, is noticed. */
const everyBlocks = 5

export function createAccountBalances({ rpc, accounts, log }: BalancesOptions): AccountBalances {
  const known = new Map<Address, bigint>()
  const unpaid = new Map<Address, bigint>()
  /** The accounts that were logged already, until they receive more. */
  const logged = new Set<Address>()
  const list = [...accounts.keys()]
  let readAt: number | undefined

  function note(account: Address, balance: bigint): void {
    if (balance > (known.get(account) ?? balance)) logged.delete(account)
    known.set(account, balance)
    if (balance >= (unpaid.get(account) ?? 0n)) unpaid.delete(account)
  }

  function warn(account: Address, { balance, cost }: Shortage): void {
    if (logged.has(account)) return
    logged.add(account)
    const amounts = { balance: String(balance), cost: String(cost) }
    log.warn('an account cannot pay for a transaction', { account, name: accounts.get(account), ...amounts })
  }

  return {
    async refresh(block) {
      // A lower block follows a reorganisation, or comes from a lagging node.
      if (readAt !== undefined && Math.abs(block - readAt) < everyBlocks) return
      try {
        const calls = list.map((account) => ({ method: 'eth_getBalance', params: [account, 'latest'] }))
        const responses = await available(rpc.batch(calls))
        for (const [index, account] of list.entries())
          note(account, parseQuantity(parseResponse(responses[index])))
        readAt = block
      } catch (fault) {
        if (!(fault instanceof Outage)) throw fault
      }
    },
    async read(account) {
      const balance = parseQuantity(await available(rpc.call('eth_getBalance', [account, 'latest'])))
      note(account, balance)
      return balance
    },
    of: (account) => known.get(account),
    cannotPay(account, cost) {
      unpaid.set(account, cost)
      warn(account, { balance: known.get(account) ?? 0n, cost })
    },
    lacking(account, cost) {
      const balance = known.get(account)
      if (balance === undefined) return undefined
      const shortage = { balance, cost: maxOf(cost, unpaid.get(account) ?? 0n) }
      if (balance >= shortage.cost) return undefined
      warn(account, shortage)
      return shortage
    },
  }
}

/** The text for the solver, the owner of an order, and the log. */
export function shortageText({ balance, cost }: Shortage): string {
  return `its account has ${inCoinsDown(balance)} of the native coin, and the transaction may cost ${inCoinsDown(cost)}`
}

/** Formats an amount with six digits after the point, rounded down. */
function inCoinsDown(wei: bigint): string {
  return formatUnits(wei / 10n ** 12n, 6)
}
