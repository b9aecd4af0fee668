import { attemptsFor } from '../../../../domain/auction/competition.ts'
import { eventWords } from '../../../../domain/order/event-words.ts'
import type { FollowOrderResult } from '../documents.generated.ts'
import { amountOf } from '../view/amounts.ts'
import { PageLink } from '../view/links.tsx'
import { LiveState, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { TransactionLink } from './details.tsx'
import { type Diagnosis, evidenceOf, failureText, type Order, reasonsOf } from './order.ts'

export type TakenBack = NonNullable<FollowOrderResult['orderEvents']['event']>

/** A line of the timeline. */
interface Step {
  at: string
  title: string
  text: string
  /** Text of a machine, verbatim. */
  detail?: string | null
  txHash?: string | null
  /** The order that replaced it. */
  replacedBy?: string
  tone: 'good' | 'bad' | 'usual'
  /** A reorganisation of the chain undid it. */
  isTakenBack?: boolean
}

const tones: Readonly<Record<string, Step['tone']>> = {
  TRADED: 'good',
  INVALID: 'bad',
  CANCELLED: 'bad',
  EXPIRED: 'bad',
  HOOK_FAILED: 'bad',
}

/** Events of an order, oldest first. @param takenBack events that a reorganisation took back */
function storyOf(order: Order, diagnosis: Diagnosis | undefined, takenBack: readonly TakenBack[]): Step[] {
  // The newest trade belongs to the newest event of a trade.
  const trades = [...order.trades.nodes]
  const events = order.events.nodes
    .toReversed()
    .map((event) => toStep(event, event.label === 'TRADED' ? trades.shift() : undefined, order))
  const undone = takenBack.map((event) => ({
    ...toStep(event, undefined, order),
    tone: 'bad' as const,
    isTakenBack: true,
  }))
  return [...events, ...undone, ...failures(order), ...lastOffer(order, diagnosis)].toSorted(
    (a, b) => Date.parse(a.at) - Date.parse(b.at),
  )
}

function toStep(event: TakenBack, trade: Order['trades']['nodes'][number] | undefined, order: Order): Step {
  const [title, text] = eventWords(event, order.signingScheme)
  return {
    at: event.timestamp,
    title,
    text: trade
      ? `${amountOf(trade.sellAmount, order.sellToken)} for ${amountOf(trade.buyAmount, order.buyToken)}.`
      : text,
    detail: event.detail,
    txHash: trade?.txHash ?? event.txHash,
    ...(event.replacedBy && { replacedBy: event.replacedBy.uid }),
    tone: tones[event.label] ?? 'usual',
  }
}

/** Step of the last auctions. None records an exclusion for expiry: its time follows from the expiry. */
function lastOffer({ creationDate }: Order, diagnosis: Diagnosis | undefined): Step[] {
  const [validity] = reasonsOf(diagnosis).flatMap((reason) => evidenceOf(reason, 'ValidityEvidence') ?? [])
  if (!validity) return []
  const [at, end] = [Date.parse(validity.offeredUntil), Date.parse(validity.until)]
  if (at > Date.now() || at <= Date.parse(creationDate)) return []
  const text = `Orders are offered until ${(end - at) / 1_000} seconds before they expire.`
  return [{ at: validity.offeredUntil, title: 'No longer offered to solvers', text, tone: 'bad' }]
}

/** Failed settlements of the order; successful ones are trades. */
function failures({ debugReport }: Order): Step[] {
  return debugReport.auctions.nodes
    .flatMap(attemptsFor)
    .filter(({ outcome }) => outcome === 'FAILED' || outcome === 'TIMEOUT')
    .map(({ endTimestamp, startTimestamp, detail, txHash, ...attempt }) => {
      const [title, text] = failureText(attempt)
      return { at: endTimestamp ?? startTimestamp, title, text, detail, txHash, tone: 'bad' }
    })
}

interface Props {
  order: Order
  diagnosis: Diagnosis | undefined
  takenBack: readonly TakenBack[]
  isLive: boolean
}

/** Events, newest first. */
export function Timeline({ order, diagnosis, takenBack, isLive }: Props) {
  const steps = storyOf(order, diagnosis, takenBack).toReversed()
  return (
    <Section id="story" title="What happened" aside={<LiveState isLive={isLive} />}>
      <ol class="entries">
        {steps.map((step) => (
          <StepEntry key={`${step.at} ${step.title} ${step.isTakenBack}`} step={step} order={order} />
        ))}
      </ol>
      {order.events.pageInfo.hasPreviousPage && <p class="note">Earlier steps are left out.</p>}
    </Section>
  )
}

function StepEntry({ step, order }: { step: Step; order: Order }) {
  return (
    <li class={`entry ${step.tone} ${step.isTakenBack ? 'reverted' : ''}`}>
      <div class="section-head">
        <h3>{step.title}</h3>
        <Time at={step.at} />
      </div>
      {step.text && <p>{step.text}</p>}
      {step.isTakenBack && (
        <p class="kept">
          <strong>Taken back.</strong> The chain replaced the block in which this happened by another without
          it (a reorganisation). It counts as never happened: the account has what it had before.
        </p>
      )}
      {step.detail && (
        <p class="note">
          Reported error: <code class="hash">{step.detail.slice(0, 500)}</code>
        </p>
      )}
      {step.txHash && (
        <p class="note">
          Transaction <TransactionLink {...{ order, txHash: step.txHash }} />
        </p>
      )}
      {step.replacedBy && (
        <p class="note">
          The newer order: <PageLink kind="order" id={step.replacedBy} />
        </p>
      )}
    </li>
  )
}
