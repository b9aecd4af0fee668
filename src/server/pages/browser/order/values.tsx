import { useCallback } from 'preact/hooks'
import { formatUnits } from '../../../../domain/amount.ts'
import { queryService } from '../ask.ts'
import type { OrderValuesResult } from '../documents.generated.ts'
import { amountOf, dollars, sourceWords, symbolOf, type TokenLike } from '../view/amounts.ts'
import { usePolled } from '../view/polled.ts'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import { centsDown } from './fill.ts'
import type { Order } from './order.ts'

type UsdPrice = NonNullable<NonNullable<OrderValuesResult['order']>['sellToken']['usdPrice']>

/** Prices of the order’s tokens in US dollars now, by address. */
export type UsdPrices = ReadonlyMap<string, UsdPrice>

const refreshMs = 300_000

/** Empty until prices are read, and if no source has any. */
export function useUsdPrices({ uid, sellToken, buyToken }: Order): UsdPrices {
  const [sell, buy] = [sellToken.address, buyToken.address]
  const read = useCallback(async () => {
    const { order } = await queryService(documents.orderValues, { uid })
    const prices = [
      [sell, order?.sellToken.usdPrice],
      [buy, order?.buyToken.usdPrice],
    ] as const
    return new Map(prices.flatMap(([token, price]) => (price ? [[token, price] as const] : [])))
  }, [uid, sell, buy])
  return usePolled(read, refreshMs).value ?? none
}

const none: UsdPrices = new Map()

function dollarsOf(atoms: bigint, token: TokenLike, prices: UsdPrices): string | undefined {
  const price = prices.get(token.address)
  if (!price || token.decimals == null) return undefined
  const cents = centsDown(atoms, token.decimals, price.price)
  if (cents === 0n) return atoms === 0n ? undefined : 'less than $0.01'
  return dollars(formatUnits(cents, 2))
}

/** An amount with its value, such as “0.5 WETH $1,496.20”. */
export function Amount({
  atoms,
  token,
  prices,
}: {
  atoms: string | bigint
  token: TokenLike
  prices: UsdPrices
}) {
  return (
    <>
      {amountOf(atoms, token)} <DollarNote {...{ atoms, token, prices }} />
    </>
  )
}

export function DollarNote(props: { atoms: string | bigint; token: TokenLike; prices: UsdPrices }) {
  const text = dollarsOf(BigInt(props.atoms), props.token, props.prices)
  return text === undefined ? null : <span class="note">{text}</span>
}

/** Time and source of the dollar values. */
export function PriceSources({ order, prices }: { order: Order; prices: UsdPrices }) {
  const known = [order.sellToken, order.buyToken].flatMap((token) => {
    const price = prices.get(token.address)
    return price ? [{ token, ...price }] : []
  })
  if (known.length === 0) return null
  return (
    <p class="note">
      Dollar values use present prices, also for past trades:
      {known.map(({ token, price, source, asOf }, index) => (
        <span key={token.address}>
          {index > 0 && ','} {symbolOf(token)} {dollars(price)} ({sourceWords(source)}, <Time at={asOf} />)
        </span>
      ))}
      .
    </p>
  )
}
