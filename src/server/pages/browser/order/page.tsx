import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { queryService } from '../ask.ts'
import { nameInPath, serviceUrl } from '../root.ts'
import { subscribe } from '../subscription.ts'
import { Header } from '../view/header.tsx'
import { CopyButton, ProgrammaticLink } from '../view/links.tsx'
import { isLive, type OrderState, orderTitle, stateOf } from '../view/orders.ts'
import { usePolled } from '../view/polled.ts'
import { partText } from '../view/programmatic.ts'
import { Fault, Loading, Missing } from '../view/section.tsx'
import { Actions } from './actions.tsx'
import { Hooks, OrderDetails, Trades } from './details.tsx'
import { documents } from './documents.ts'
import { Offers } from './offers.tsx'
import { diagnosedDistance, type Order, partNumber } from './order.ts'
import { Prices } from './prices.tsx'
import { FillQualitySection } from './quality.tsx'
import { Reasons } from './reasons.tsx'
import { type TakenBack, Timeline } from './timeline.tsx'
import { useUsdPrices } from './values.tsx'

const uid = nameInPath()
const readOrder = async () => (await queryService(documents.order, { uid })).order
/** Interval of changes without an event: figures, and the remaining time. */
const refreshMs = 30_000
/** Interval in the last minutes of an order, when it leaves the auctions and expires. */
const [lastMs, lastSeconds] = [5_000, 150]
/** Interval for the first order of a token, whose name and decimals are read after it was placed. */
const [namesMs, namesAge] = [3_000, 120_000]

const waitsForNames = ({ sellToken, buyToken, creationDate }: Order) =>
  (sellToken.decimals === null || buyToken.decimals === null) &&
  Date.now() - Date.parse(creationDate) < namesAge

function pauseOf(order: Order): number {
  if (waitsForNames(order)) return namesMs
  return isLive(order) && order.validTo - Date.now() / 1_000 < lastSeconds ? lastMs : refreshMs
}

/** Events that a reorganisation took back, from the stream, and whether it is being followed. */
function useFollowed(again: () => void) {
  const [takenBack, setTakenBack] = useState<readonly TakenBack[]>([])
  const [isLive, setIsLive] = useState(false)
  const [isCut, setIsCut] = useState(false)
  useEffect(() => {
    // Only the stream has events that were taken back: it begins with the first stored entry.
    const variables = { uid, ...(!isCut && { after: 'earliest' }) }
    return subscribe(documents.followOrder, variables, {
      onResult({ orderEvents: { isRemoved, event } }) {
        if (isRemoved && event) setTakenBack((known) => [...known, event].slice(-maxTakenBack))
        again()
      },
      onLive(isLive) {
        setIsLive(isLive)
        if (isLive) again()
      },
      onGap: () => setIsCut(true),
    })
  }, [again, isCut])
  return { takenBack, isLive }
}

const maxTakenBack = 20

function OrderPage() {
  const [everyMs, setEveryMs] = useState(refreshMs)
  const order = usePolled(readOrder, everyMs)
  const followed = useFollowed(order.again)
  const { value, fault } = order
  useEffect(() => setEveryMs(value ? pauseOf(value) : refreshMs), [value])
  const retry = useCallback(() => order.again(), [order.again])

  if (value === null) return <Unknown fault={fault} onRetry={retry} />
  if (value) return <KnownOrder order={value} fault={fault} onChange={retry} {...followed} />
  return (
    <>
      <OrderHeader title="Order" fault={fault} />
      {fault === undefined && <Loading />}
    </>
  )
}

interface KnownOrderProps {
  order: Order
  fault: string | undefined
  takenBack: readonly TakenBack[]
  isLive: boolean
  onChange(): void
}

function KnownOrder({ order, fault, onChange, ...followed }: KnownOrderProps) {
  // Diagnosis for each read of the order, which follows every event and an interval.
  const read = useCallback(
    async () => (await queryService(documents.orderDiagnosis, { uid })).order?.diagnosis,
    [order],
  )
  const diagnosis = usePolled(read)
  const prices = useUsdPrices(order)
  const end = diagnosis.value && terminalCodeOf(diagnosis.value)
  const isDone = diagnosis.value ? end !== undefined : !isLive(order)
  const state = stateOf(order, end)
  const [said, setSaid] = useState('')
  // The first trade does not move what the page has shown.
  const [isTradedFirst] = useState(order.trades.nodes.length > 0)
  const details = <OrderDetails key="details" order={order} prices={prices} />
  useEffect(() => {
    // Announced when it changes, not when the page opens.
    setSaid((before) => (before === '' ? ' ' : state.text))
    document.title = `${state.text} · Order ${uid.slice(0, 8)}… · Tradegraph`
  }, [state.text])
  return (
    <>
      <OrderHeader title={orderTitle(order)} order={order} state={state} said={said} fault={fault} />
      <main>
        <div class="column">
          <Reasons order={order} {...diagnosis} />
          <Actions order={order} diagnosis={diagnosis.value} onDone={onChange} />
          <Prices order={order} isOver={isDone} distance={diagnosedDistance(diagnosis.value)} />
          <Timeline order={order} diagnosis={diagnosis.value} {...followed} />
          <Offers order={order} />
        </div>
        <div class="column">
          {!isTradedFirst && details}
          <FillQualitySection order={order} prices={prices} />
          <Trades order={order} />
          <Hooks order={order} />
          {isTradedFirst && details}
        </div>
      </main>
    </>
  )
}

interface OrderHeaderProps {
  title: string
  order?: Order
  state?: OrderState
  said?: string
  fault: string | undefined
}

function OrderHeader({ title, order, state, said, fault }: OrderHeaderProps) {
  return (
    <Header>
      <div class="section-head">
        <h1>{title}</h1>
        {state && <span class={`badge ${state.tone}`}>{state.text}</span>}
      </div>
      {order?.programmaticOrder && <PartOf order={order} whole={order.programmaticOrder} />}
      <p class="note">
        Order id <code class="hash">{uid}</code>
        <CopyButton text={uid} name="order id" />
      </p>
      <p class="unseen" role="status">
        {said}
      </p>
      {fault !== undefined && <Fault text={fault} />}
    </Header>
  )
}

/** The programmatic order that the order is a part of, with the number of the part where it is known. */
function PartOf({ order, whole }: { order: Order; whole: NonNullable<Order['programmaticOrder']> }) {
  const number = partNumber(whole, order.validTo)
  return (
    <p>
      <ProgrammaticLink
        id={whole.id}
        text={number === undefined ? partText(whole) : `Part ${number} of ${whole.partCount} of a TWAP`}
      />
    </p>
  )
}

function Unknown({ fault, onRetry }: { fault?: string | undefined; onRetry(): void }) {
  return (
    <>
      <OrderHeader title="There is no such order here" fault={fault} />
      <Missing title="Possible reasons" onRetry={onRetry}>
        <p>This service never stored an order with this order id. The usual reasons:</p>
        <ul>
          <li>
            The wallet showed an error instead of placing the order. Then the order does not exist, and
            nothing was sold.
          </li>
          <li>The order was placed at another service, or in a test environment.</li>
          <li>The order id was not copied whole, or one of its digits is wrong.</li>
        </ul>
        <p>
          If the wallet showed an error, <a href={serviceUrl('.')}>search for its text</a> or its code, such
          as <a href={serviceUrl('?q=InsufficientBalance')}>InsufficientBalance</a>: the search explains the
          error and gives advice.
        </p>
      </Missing>
    </>
  )
}

document.title = `Order ${uid.slice(0, 8)}… · Tradegraph`
render(<OrderPage />, document.body)
