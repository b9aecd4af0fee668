import { ChainLink, PageLink } from '../view/links.tsx'
import { LiveState, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { type Step, storyOf, type TakenBack } from './story.ts'
import type { Diagnosis, Order } from './words.ts'

interface Props {
  order: Order
  diagnosis: Diagnosis | undefined
  takenBack: readonly TakenBack[]
  isLive: boolean
}

/** What happened, the newest first. */
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
          As it was reported: <code class="hash">{step.detail.slice(0, 500)}</code>
        </p>
      )}
      {step.txHash && (
        <p class="note">
          Transaction <ChainLink explorer={order.network.explorerUrl} kind="tx" id={step.txHash} />
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
