import { useCallback, useMemo } from 'preact/hooks'
import { queryService } from '../ask.ts'
import { isLive } from '../view/orders.ts'
import { type Line, Plot } from '../view/plot.tsx'
import { usePolled } from '../view/polled.ts'
import { distanceDown, type PriceLike, type PriceScale, priceScale } from '../view/prices.ts'
import { Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import { type Distance, type Order, percentOf } from './order.ts'

/** Prices are stored every five minutes. */
const refreshMs = 150_000
const stepSeconds = 300

interface Seen {
  at: string
  price: PriceLike
}

/** Market prices, compared with the order's limit. */
export function Prices({
  order,
  isOver,
  distance,
}: {
  order: Order
  isOver: boolean
  /** The distance in the texts of the diagnosis, if it has one. */
  distance: Distance | undefined
}) {
  const { uid, limitPrice } = order
  const read = useCallback(
    async () => (await queryService(documents.orderPrices, { uid })).order?.marketPrices.nodes ?? [],
    [uid],
  )
  const { value, fault } = usePolled(read, isLive(order) ? refreshMs : 0)
  const seen = useMemo(
    () => value?.flatMap(({ at, price }): Seen[] => (price ? [{ at, price }] : [])).toReversed() ?? [],
    [value],
  )
  const scale = useMemo(
    () => limitPrice && priceScale(order.sellToken, order.buyToken, limitPrice),
    [limitPrice, order.sellToken, order.buyToken],
  )
  if (!limitPrice || !scale) return null
  const last = seen.at(-1)
  const shown = distance ?? (last && { parts: distanceDown(last.price, limitPrice), at: last.at })
  return (
    <Section id="prices" title="Price and limit" isKept={value !== undefined}>
      <p>{limitWords(isOver, limitPrice, scale)}</p>
      {shown && <DistanceLine {...{ ...shown, isOpen: isLive(order) }} />}
      {fault !== undefined && <Fault text={fault} />}
      {!value && fault === undefined && <Loading />}
      {seen.length > 0 && <PricePlot {...{ order, seen, limit: limitPrice, scale }} />}
      {value && seen.length === 0 && (
        <p class="empty">
          {isLive(order)
            ? 'No market price is stored yet: one is stored every five minutes.'
            : 'No market price was stored while the order was open.'}
        </p>
      )}
      {seen.length > 0 && (
        <p class="note">
          The line shows the price of both tokens in auctions, every five minutes, without fees and for a
          small amount. A trade gets less: fees come out of it, and a large amount moves the price.
        </p>
      )}
    </Section>
  )
}

function limitWords(isOver: boolean, limit: PriceLike, scale: PriceScale): string {
  const bound = scale.isMoreBetter ? 'at least' : 'at most'
  const price = `${bound} ${scale.words(limit)} ${scale.unit}, after all fees`
  return isOver
    ? `The limit was ${price}.`
    : `The limit is ${price}. The order fills at this price or a better one, or not at all.`
}

/** The distance that all parts of the page show. */
function DistanceLine({ parts, at, isOpen }: Distance & { isOpen: boolean }) {
  return (
    <p>
      For this order the market {isOpen ? 'is' : 'was'} {percentOf(parts)} {parts > 0n ? 'worse' : 'better'}{' '}
      than the limit, before the network fee{' '}
      <span class="note">
        (<Time at={at} isRelative={isOpen} />)
      </span>
    </p>
  )
}

/** Unix seconds. */
function endOf({ events, validTo, ...order }: Order): number {
  const last = events.nodes.findLast(({ label }) => label === 'TRADED' || label === 'CANCELLED')
  return !isLive(order) && last ? Math.min(Date.parse(last.timestamp) / 1_000, validTo) : validTo
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
  const end = endOf(order)
  const shown = useMemo(() => {
    const times = seen.map(({ at }) => Date.parse(at) / 1_000)
    const values = seen.map(({ price }) => scale.value(price))
    // The limit begins with the order, and is there when a price is.
    const isFirst = begin < (times[0] ?? 0)
    const last = times.at(-1) ?? begin
    const marks = [
      ...(isFirst ? [begin] : []),
      ...times,
      Math.max(last + 1, Math.min(last + stepSeconds, end)),
    ]
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
  }, [seen, limitValue, isMoreBetter, begin, end, scale])
  const prices = seen.map(({ price }) => price)
  const best = prices.reduce((a, b) => (distanceDown(b, limit) < distanceDown(a, limit) ? b : a))
  const label = `Prices in ${scale.unit}. The limit is ${scale.words(limit)}. The best market price was ${scale.words(best)}, and the last ${scale.words(prices.at(-1) ?? best)}.`
  return <Plot label={label} {...shown} />
}
