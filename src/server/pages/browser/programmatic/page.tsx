import { render } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { ProgrammaticOrderResult, ProgrammaticPartsResult } from '../documents.generated.ts'
import { idInPath } from '../root.ts'
import { amountOf, type TokenLike } from '../view/amounts.ts'
import { networkText } from '../view/contracts.ts'
import { Header } from '../view/header.tsx'
import { ChainLink, CopyButton, PageLink, TokenLink } from '../view/links.tsx'
import { orderTitle, stateOf } from '../view/orders.ts'
import { usePolled } from '../view/polled.ts'
import { programmaticKind, programmaticStates, programmaticTitle, type State } from '../view/programmatic.ts'
import { DetailList, Fault, Loading, Missing, Section } from '../view/section.tsx'
import { Table } from '../view/table.tsx'
import { durationOf, fromNow, Time } from '../view/times.tsx'
import { documents } from './documents.ts'

type Programmatic = NonNullable<ProgrammaticOrderResult['programmaticOrder']>
type Part = NonNullable<Programmatic['nextPart']>
type Parts = NonNullable<NonNullable<ProgrammaticPartsResult['programmaticOrder']>['parts']>
type Twap = Extract<Programmatic['input'], { __typename: 'TwapInput' }>

const partStates: Readonly<Record<Part['status'], State>> = {
  SCHEDULED: ['Later', 'quiet'],
  NOT_POSTED: ['Not placed yet', 'bad'],
  OPEN: ['Open', 'good'],
  FILLED: ['Filled', 'good'],
  EXPIRED: ['Expired', 'bad'],
  CANCELLED: ['Cancelled', 'bad'],
}

const Badge = ({ state: [text, tone] }: { state: State }) => <span class={`badge ${tone}`}>{text}</span>

const inSeconds = (seconds: number) => new Date(seconds * 1_000)

function twapOf({ input }: Programmatic): Twap | undefined {
  return input?.__typename === 'TwapInput' ? input : undefined
}

/** The part that can be traded now, or the next one. */
function NextPart({ order, twap }: { order: Programmatic; twap: Twap }) {
  const { nextPart: part } = order
  if (!part) return null
  const opens = inSeconds(part.validFrom)
  const isNow = opens.getTime() <= Date.now()
  return (
    <Section id="next" title={isNow ? 'The part of now' : 'The next part'}>
      <DetailList
        facts={[
          ['Part', `${part.index + 1} of ${twap.n}`],
          ['State', <Badge key="s" state={partStates[part.status]} />],
          ['Sells', amountOf(part.sellAmount, twap.sellToken)],
          ['Buys at least', amountOf(part.buyAmount, twap.buyToken)],
          [
            isNow ? 'Opened' : 'Opens',
            <span key="f">
              <Time at={opens} /> <span class="note">({fromNow(opens)})</span>
            </span>,
          ],
          [
            'Closes',
            <span key="t">
              <Time at={inSeconds(part.validTo)} />{' '}
              <span class="note">({fromNow(inSeconds(part.validTo))})</span>
            </span>,
          ],
          ['Order', part.order && <PageLink key="o" kind="order" id={part.uid} />],
        ]}
      />
      {part.status === 'NOT_POSTED' && <p class="note">{order.diagnosis.text}</p>}
    </Section>
  )
}

function filledText(part: Part, { sellToken, buyToken }: Twap): string {
  const { order } = part
  if (!order || order.executedFraction === '0') return 'nothing'
  return `${amountOf(order.executedSellAmount, sellToken)} for ${amountOf(order.executedBuyAmount, buyToken)}`
}

/** Parts of one page. */
const pageSize = 20

function Schedule({ id, twap }: { id: string; twap: Twap }) {
  /** Cursors before the pages that were left, oldest first. */
  const [places, setPlaces] = useState<readonly (string | null)[]>([null])
  const after = places.at(-1) ?? null
  const read = useCallback(async (): Promise<Parts | null> => {
    const variables = { id, first: pageSize, ...(after !== null && { after }) }
    return (await queryService(documents.programmaticParts, variables)).programmaticOrder?.parts ?? null
  }, [id, after])
  const { value, fault } = usePolled(read, refreshMs)
  return (
    <Section id="parts" title="Parts">
      {fault !== undefined && <Fault text={fault} />}
      {value === undefined && fault === undefined && <Loading />}
      {value === null && (
        <p class="empty">The parts are known once the contract was read at the block of the creation.</p>
      )}
      {value && (
        <Table
          label="Parts"
          columns={[
            {
              label: 'Part',
              isShort: true,
              cell: ({ index, uid, order }) =>
                order ? <PageLink kind="order" id={uid} text={`${index + 1}`} /> : index + 1,
            },
            {
              label: 'State',
              isPlain: true,
              isShort: true,
              cell: ({ status }) => <Badge state={partStates[status]} />,
            },
            { label: 'From', cell: ({ validFrom }) => <Time at={inSeconds(validFrom)} /> },
            { label: 'Filled', cell: (part) => filledText(part, twap) },
          ]}
          nodes={value.nodes}
          keyOf={({ uid }) => uid}
        />
      )}
      {value && (places.length > 1 || value.pageInfo.hasNextPage) && (
        <div class="buttons">
          <button type="button" disabled={places.length === 1} onClick={() => setPlaces(places.slice(0, -1))}>
            Earlier parts
          </button>
          <button
            type="button"
            disabled={!value.pageInfo.hasNextPage}
            onClick={() => setPlaces([...places, value.pageInfo.endCursor])}
          >
            Later parts
          </button>
        </div>
      )}
    </Section>
  )
}

/** Orders of a kind whose parts are not known in advance. */
function Orders({ order: { orders } }: { order: Programmatic }) {
  return (
    <Section id="orders" title="Its orders, newest first">
      <ul class="plain-list">
        {orders.nodes.map((order) => (
          <li key={order.uid}>
            <PageLink kind="order" id={order.uid} text={orderTitle(order)} />{' '}
            <span class="note">{stateOf(order).text}</span>
          </li>
        ))}
      </ul>
      {orders.nodes.length === 0 && <p class="empty">None was placed yet.</p>}
      {orders.pageInfo.hasNextPage && <p class="note">Older ones are not shown.</p>}
    </Section>
  )
}

function Progress({ order, twap }: { order: Programmatic; twap: Twap | undefined }) {
  const total = order.partCount === null ? '' : ` of ${order.partCount}`
  const amounts = (value: string, token: TokenLike | undefined) => token && amountOf(value, token)
  return (
    <Section id="progress" title="So far">
      <DetailList
        facts={[
          ['Filled parts', `${order.filledParts}${total}`],
          ['Sold', amounts(order.executedSellAmount, twap?.sellToken)],
          ['Bought', amounts(order.executedBuyAmount, twap?.buyToken)],
          ['Diagnosis', order.nextPart?.status !== 'NOT_POSTED' && order.diagnosis.text],
          ['About its state', order.statusReason],
          ['Removed', order.removedAt && <Time key="r" at={order.removedAt} />],
          ['Its input does not decode', order.decodeError],
        ]}
      />
    </Section>
  )
}

function Details({ order, twap }: { order: Programmatic; twap: Twap | undefined }) {
  const { network, owner, resolvedOwner, startsAt, endsAt, creations } = order
  const explorer = network.explorerUrl
  const account = (id: string, name: string) => (
    <span key={name}>
      <PageLink kind="account" id={id} />
      <CopyButton text={id} name={name} />
    </span>
  )
  return (
    <Section id="facts" title="The programmatic order">
      <DetailList
        facts={[
          ['Kind', programmaticKind(order.type)],
          ['Sells', twap && <TokenLink key="s" token={twap.sellToken} network={network.name} />],
          ['Buys', twap && <TokenLink key="b" token={twap.buyToken} network={network.name} />],
          ['Each part sells', twap && amountOf(twap.partSellAmount, twap.sellToken)],
          ['Each part buys at least', twap && amountOf(twap.minPartLimit, twap.buyToken)],
          ['A part every', twap && durationOf(Number(twap.t))],
          ['Each part is open for', twap && durationOf(Number(twap.span === '0' ? twap.t : twap.span))],
          ['Starts', startsAt !== null && <Time key="f" at={inSeconds(startsAt)} />],
          ['Ends', endsAt !== null && <Time key="t" at={inSeconds(endsAt)} />],
          ['Created', <Time key="c" at={order.creationDate} />],
          ['Owner', account(owner, 'address of the owner')],
          ['Account behind it', resolvedOwner !== owner && account(resolvedOwner, 'address of the account')],
          ['Handler', <ChainLink key="h" explorer={explorer} kind="address" id={order.handler} />],
          [
            'Transaction',
            creations.nodes[0] && (
              <ChainLink key="x" explorer={explorer} kind="tx" id={creations.nodes[0].txHash} />
            ),
          ],
          [
            'Hash',
            <code key="i" class="hash">
              {order.hash}
            </code>,
          ],
          ['Network', networkText(network)],
        ]}
      />
    </Section>
  )
}

const id = idInPath()
const refreshMs = 10_000
const readOrder = async () => (await queryService(documents.programmaticOrder, { id })).programmaticOrder

function ProgrammaticPage() {
  const { value, fault, again } = usePolled(readOrder, refreshMs)
  const title = value ? programmaticTitle(value) : 'Programmatic order'
  const twap = value ? twapOf(value) : undefined
  useEffect(() => {
    document.title = `${title} · Tradegraph`
  }, [title])
  return (
    <>
      <Header>
        <div class="section-head">
          <h1>{title}</h1>
          {value && <Badge state={programmaticStates[value.status]} />}
        </div>
        {fault !== undefined && <Fault text={fault} />}
      </Header>
      {value === undefined && fault === undefined && <Loading />}
      {value === null && (
        <Missing title="This programmatic order is not known" onRetry={again}>
          <p>Its creation may not be indexed yet, or was undone by a reorganisation of the chain.</p>
        </Missing>
      )}
      {value && (
        <main>
          <div class="column">
            {twap && <NextPart order={value} twap={twap} />}
            {twap ? <Schedule id={id} twap={twap} /> : <Orders order={value} />}
          </div>
          <div class="column">
            <Progress order={value} twap={twap} />
            <Details order={value} twap={twap} />
          </div>
        </main>
      )}
    </>
  )
}

render(<ProgrammaticPage />, document.body)
