import type { Address } from '../domain/evm/address.ts'
import { type FeeTaken, settlementAmounts } from '../domain/settlement/account.ts'
import { wrappedForm } from '../domain/token/token.ts'
import { policyKey, pricesOfAuctions } from '../storage/auction/auctions.ts'
import type { Tx } from '../storage/database/database.ts'
import type { FactsContext, ReadFacts } from './facts.ts'

type Attributed = ReadFacts['attributed'][number]

/**
 * The rows of settlements, with what those of the service's auctions kept and left, by token, at the prices of their auctions. Nothing is
 * known of one whose logs are not.
 */
export async function withAmounts(
  tx: Tx,
  facts: ReadFacts,
  context: FactsContext,
  wrappedNative: Address | undefined,
): Promise<ReadFacts['settlements']> {
  const measured = facts.attributed.flatMap((attributed) => {
    const changes = context.mined.get(attributed.group)?.changes
    return changes
      ? [{ ...attributed, changes, fees: feesOf(attributed, facts, context, wrappedNative) }]
      : []
  })
  if (measured.length === 0) return facts.settlements
  const tokens = measured.flatMap(({ fees, changes }) => [
    ...fees.map(({ token }) => token),
    ...changes.keys(),
  ])
  const ids = measured.map(({ solution }) => solution.auctionId)
  const prices = await pricesOfAuctions(tx, [...new Set(ids)], [...new Set(tokens)])
  const amounts = new Map(
    measured.map(({ group, solution, fees, changes }) => [
      group.settlement.logIndex + group.settlement.txHash,
      settlementAmounts(fees, changes, prices.get(solution.auctionId) ?? new Map()),
    ]),
  )
  return facts.settlements.map((row) => ({ ...row, amounts: amounts.get(row.logIndex + row.txHash) ?? null }))
}

/** What each trade paid, by the records of the auction. */
function feesOf(
  { group, solution: { auctionId } }: Attributed,
  { executions }: ReadFacts,
  { orders, policies }: FactsContext,
  wrappedNative: Address | undefined,
): FeeTaken[] {
  const settled = (token: Address) => (wrappedNative ? wrappedForm(token, wrappedNative) : token)
  return group.trades.flatMap(({ orderUid }): FeeTaken[] => {
    const id = orders.get(orderUid)?.id
    const execution = executions.find((each) => each.orderId === id && each.auctionId === auctionId)
    if (!execution || id === undefined) return []
    const { protocolFees, executedFeeToken, networkFee } = execution
    const feePolicies = policies.get(policyKey(auctionId, id)) ?? []
    const byPolicy = protocolFees.map(({ token, amount }, index): FeeTaken => {
      const { kind: policy = null, recipient = null } = feePolicies[index] ?? {}
      return { kind: recipient ? 'partner' : 'protocol', policy, recipient, token: settled(token), amount }
    })
    const network = {
      policy: null,
      recipient: null,
      token: settled(executedFeeToken),
      amount: networkFee ?? 0n,
    }
    return [...byPolicy, { kind: 'network', ...network }]
  })
}
