import type { Balances } from '../../hostile/checks.ts'
import { keptBeyondFees, toldFees } from '../../hostile/checks.ts'
import { type Ledger, readLedger } from '../../hostile/ledger.ts'
import { type Ground, reportOf } from '../ground.ts'
import { tokenAbi } from '../orders/crowd.ts'

/** The settlement contract's balances of every token and of native coins. */
interface Kept {
  tokens: Balances
  coins: bigint
  block: number
}

export async function readKept({ rpc, market }: Pick<Ground, 'rpc' | 'market'>): Promise<Kept> {
  const { settlement } = market.network
  const block = Number(await rpc.call<string>('eth_blockNumber'))
  const at = `0x${block.toString(16)}`
  const tokens: Balances = new Map()
  for (const { address: to } of Object.values(market.tokens)) {
    const data = tokenAbi.encodeFunctionData('balanceOf', [settlement])
    const held = BigInt(await rpc.call<string>('eth_call', [{ to, data }, at]))
    tokens.set(to, new Map([[settlement, held]]))
  }
  return { tokens, coins: BigInt(await rpc.call<string>('eth_getBalance', [settlement, at])), block }
}

export interface BalanceResults {
  /** Atoms, by token. */
  tokens: { symbol: string; fees: bigint; beyond: bigint; rounding: bigint }[]
  /** Accounts that settled. */
  solvers: Record<string, number>
  trades: number
  faults: string[]
}

/**
 * Checks that the contract's gain equals the reported fees, for every token. Amounts are whole atoms of two
 * tokens, so each trade may move an atom of one, or its value in the other.
 */
export async function checkBalances(ground: Ground, before: Kept): Promise<BalanceResults> {
  const after = await readKept(ground)
  const { network, tokens } = ground.market
  const ledger = await readLedger(ground, before.block + 1)
  const told = await toldFees(ledger, { report: (uid) => reportOf(ground, uid) }, network.wrappedNative)
  const kept = keptBeyondFees(
    { before: before.tokens, after: after.tokens },
    ledger,
    told,
    network.settlement,
  )
  const nameOf = new Map(Object.entries(tokens).map(([symbol, { address }]) => [address as string, symbol]))
  const rows = kept.map(({ token, fee, difference, bound }) => ({
    symbol: nameOf.get(token) ?? token,
    fees: fee,
    beyond: difference,
    rounding: bound,
  }))
  const off = rows.filter(({ beyond, rounding }) => beyond > rounding || beyond < -rounding)
  return {
    tokens: rows,
    solvers: await settledBy(ground, ledger),
    trades: ledger.trades.length,
    faults: [
      ...told.missing.map((trade) => `no fees are told of ${trade}`),
      ...off.map(
        ({ symbol, beyond }) => `the contract has ${beyond} atoms of ${symbol} beyond the fees told`,
      ),
      ...(after.coins === before.coins ? [] : [`the contract has ${after.coins - before.coins} coins more`]),
    ],
  }
}

/** Returns the settling accounts, from the transactions' senders. */
async function settledBy({ rpc }: Ground, { settlements }: Ledger): Promise<Record<string, number>> {
  const solvers: Record<string, number> = {}
  for (const hash of settlements) {
    const { from } = await rpc.call<{ from: string }>('eth_getTransactionReceipt', [hash])
    solvers[from] = (solvers[from] ?? 0) + 1
  }
  return solvers
}
