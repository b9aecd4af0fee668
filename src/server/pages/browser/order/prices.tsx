import { useCallback, useMemo } from 'preact/hooks'
import { ask } from '../ask.ts'
import { percent } from '../view/amounts.ts'
import { useAsked } from '../view/asked.ts'
import { type Line, Plot } from '../view/plot.tsx'
import { gapOf, type PriceLike, type PriceScale, priceScale } from '../view/prices.ts'
import { Fault, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import { isLive, type Order } from './words.ts'

/** Prices are stored every five minutes. */
const refreshMs = 150_000
const stepSeconds = 300

interface Seen {
  at: string
  price: PriceLike
}

/** What the market gave, against what the order asks for. */
export function Prices({ order }: { order: Order }) {
  const { uid, limitPrice } = order
  const read = useCallback(
    async () => (await ask(documents.orderPrices, { uid })).order?.marketPrices.nodes ?? [],
    [uid],
  )
  // What the market gave after the end says nothing of the order.
  const end = isLive(order) ? Number.POSITIVE_INFINITY : Date.parse(order.events.nodes[0]?.timestamp ?? '')
  const { value, fault } = useAsked(read, isLive(order) ? refreshMs : 0)
  const seen = useMemo(
    () =>
      value
        ?.flatMap(({ at, price }): Seen[] => (price && Date.parse(at) <= end ? [{ at, price }] : []))
        .toReversed() ?? [],
    [value, end],
  )
  const scale = useMemo(
    () => limitPrice && priceScale(order.sellToken, order.buyToken, limitPrice),
    [limitPrice, order.sellToken, order.buyToken],
  )
  if (!limitPrice || !scale) return null
  const last = seen.at(-1)
  return (
    <Section id="prices" title="Its price and the market’s">
      <p>{limitWords(order, limitPrice, scale)}</p>
      {last && <LastPrice last={last} limit={limitPrice} scale={scale} isOpen={isLive(order)} />}
      {fault !== undefined && <Fault text={fault} />}
      {seen.length > 0 && <PricePlot {...{ order, seen, limit: limitPrice, scale }} />}
      {value && seen.length === 0 && (
        <p class="empty">
          {isLive(order)
            ? 'The market’s price is not stored yet: that is done every five minutes.'
            : 'No price of the market is stored for the time of this order.'}
        </p>
      )}
      {seen.length > 0 && (
        <p class="note">
          This is the price of a small amount, every five minutes: what both tokens were worth in auctions. A
          trade pays its fees out of it, and a large order gets less.
        </p>
      )}
    </Section>
  )
}

function limitWords(order: Order, limit: PriceLike, scale: PriceScale): string {
  const price = `${scale.words(limit)} ${scale.unit}`
  if (!isLive(order))
    return scale.isMoreBetter
      ? `The order asked for at least ${price}. That was its limit.`
      : `The order asked to pay at most ${price}. That was its limit.`
  return scale.isMoreBetter
    ? `The order asks for at least ${price}, after all fees. That is its limit: it fills where the market gives as much.`
    : `The order asks to pay at most ${price}, with all fees. That is its limit: it fills where the market asks for no more.`
}

function LastPrice({
  last,
  limit,
  scale,
  isOpen,
}: {
  last: Seen
  limit: PriceLike
  scale: PriceScale
  isOpen: boolean
}) {
  const gap = gapOf(last.price, limit)
  return (
    <p>
      The market {isOpen ? 'gives' : 'gave'} {scale.words(last.price)}{' '}
      <span class="note">
        (<Time at={last.at} isRelative={isOpen} />)
      </span>
      :{' '}
      <strong class={gap < 0 ? 'bad' : 'good'}>
        {gap < 0 ? `${percent(gap)} worse than the limit` : `${percent(gap)} better than the limit`}
      </strong>
      .
    </p>
  )
}

function PricePlot({
  order,
  seen,
  limit,
  scale,
}: {
  order: Order
  seen: readonly Seen[]
  limit: PriceLike
  scale: PriceScale
}) {
  const { isMoreBetter } = scale
  const limitValue = scale.value(limit)
  const begin = Date.parse(order.creationDate) / 1_000
  const shown = useMemo(() => {
    const times = seen.map(({ at }) => Date.parse(at) / 1_000)
    const values = seen.map(({ price }) => scale.value(price))
    // The limit begins with the order, and is there when a price is.
    const isFirst = begin < (times[0] ?? 0)
    const marks = [...(isFirst ? [begin] : []), ...times, (times.at(-1) ?? begin) + stepSeconds]
    const lines: Line[] = [
      {
        label: `The market: ${scale.unit}`,
        values: [...(isFirst ? [null] : []), ...values, null],
        color: '--accent',
      },
      {
        label: isMoreBetter ? 'The limit: it trades above' : 'The limit: it trades below',
        values: marks.map(() => limitValue),
        color: '--bad',
        isDashed: true,
      },
    ]
    return { times: marks, lines }
  }, [seen, limitValue, isMoreBetter, begin, scale])
  const prices = seen.map(({ price }) => price)
  const best = prices.reduce((a, b) => (gapOf(b, limit) > gapOf(a, limit) ? b : a))
  const label = `Prices in ${scale.unit}. The limit is ${scale.words(limit)}. The market’s best was ${scale.words(best)}, and its last ${scale.words(prices.at(-1) ?? best)}.`
  return <Plot label={label} {...shown} />
}
