import type { Comparison } from '../../../../domain/order/surplus.ts'
import { amountOf, type TokenLike } from '../view/amounts.ts'
import { DetailList, Section } from '../view/section.tsx'
import { feesOf, qualityDown } from './fill.ts'
import { type Order, percentOf } from './order.ts'
import { Amount, DollarNote, type UsdPrices } from './values.tsx'

/** Comparisons of the trades with limit, quote and market, and the fees in them. */
export function FillQualitySection({ order, prices }: { order: Order; prices: UsdPrices }) {
  if (order.trades.nodes.length === 0) return null
  const { kind, sellToken, buyToken, trades } = order
  const { limit, quote, market } = qualityDown(order)
  const token = kind === 'SELL' ? buyToken : sellToken
  const compared = (comparison: Comparison | undefined) =>
    comparison && <Compared {...{ comparison, kind, token, prices }} />
  return (
    <Section id="quality" title={trades.nodes.length > 1 ? 'Price of the trades' : 'Price of the trade'}>
      <DetailList
        facts={[
          ['Against the limit', compared(limit)],
          ['Against the quote', compared(quote)],
          ['Against the auction’s prices', compared(market)],
          ...feeFacts(order, prices),
        ]}
      />
      <p class="note">
        All comparisons are after all fees{BigInt(order.feeAmount) > 0n && ', without the signed fee'}. The
        quote is the one that the order was placed with, at the traded amount.{' '}
        {market
          ? 'An auction has a price for both tokens, without any fee.'
          : 'The prices of the auctions are not known.'}
      </p>
      <p class="note">
        All that the service keeps is reported as a fee. The solver paid the gas of the transaction, and the
        network fee pays it back.
      </p>
    </Section>
  )
}

function Compared({
  comparison: { amount, share },
  kind,
  token,
  prices,
}: {
  comparison: Comparison
  kind: Order['kind']
  token: TokenLike
  prices: UsdPrices
}) {
  if (amount === 0n) return <>Equal</>
  const isWorse = amount < 0n
  const atoms = isWorse ? -amount : amount
  return (
    <>
      {share === 0n ? 'less than 0.0001 %' : percentOf(share)} {isWorse ? 'worse' : 'better'}:{' '}
      {amountOf(atoms, token)} {(kind === 'SELL') === isWorse ? 'less' : 'more'}{' '}
      {kind === 'SELL' ? 'received' : 'paid'} <DollarNote {...{ atoms, token, prices }} />
    </>
  )
}

function feeFacts(order: Order, prices: UsdPrices): [name: string, value: preact.ComponentChildren][] {
  const { executedFeeToken: token, buyToken, sellToken } = order
  const { total, parts, taken } = feesOf(order)
  if (total === 0n) return [['Fees', 'None']]
  const amount = (atoms: bigint) => (
    <>
      −<Amount {...{ atoms, token, prices }} />
    </>
  )
  const other = taken && [sellToken, buyToken].find(({ address }) => address === taken.token)
  const part = (atoms: bigint, original: bigint | undefined) =>
    atoms > 0n && (
      <>
        {amount(atoms)}
        {other && original !== undefined && (
          <p class="note">Taken in the trade as {amountOf(original, other)}</p>
        )}
      </>
    )
  return [
    ['Fees in total', amount(total)],
    ...(parts
      ? ([
          ['Network fee', parts.network > 0n && amount(parts.network)],
          ['Service fee', part(parts.service, taken?.service)],
          ['Partner fee', part(parts.partner, taken?.partner)],
        ] satisfies [string, preact.ComponentChildren][])
      : []),
  ]
}
