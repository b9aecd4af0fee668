import { useCallback } from 'preact/hooks'
import { ask } from '../ask.ts'
import { useAsked } from '../view/asked.ts'
import { Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import type { Order } from './words.ts'

const endings: readonly string[] = ['FILLED', 'CANCELLED', 'EXPIRED']

/** Why the order is not filled, or how it ended: what has to be solved first, then the rest. Read again with each change of the order. */
export function Reasons({ order }: { order: Order }) {
  // Of each reading of the order, which comes with every event and now and then.
  const read = useCallback(
    async () => (await ask(documents.orderDiagnosis, { uid: order.uid })).order?.diagnosis,
    [order],
  )
  const { value, fault } = useAsked(read)
  const hasEnded = value !== undefined && endings.includes(value.code)
  return (
    <Section id="reasons" title={hasEnded ? 'How it ended' : 'Why it is not filled'}>
      {fault !== undefined && <Fault text={fault} />}
      {!value && fault === undefined && <Loading />}
      {value && (
        <>
          <p>
            <strong>{value.summary}</strong>
          </p>
          <p>{value.advice}</p>
          {value.since && (
            <p class="note">
              Since <Time at={value.since} />.
            </p>
          )}
          {value.further.length > 0 && <h3>Solve this too, in this order</h3>}
          {value.further.map(({ code, summary, advice }) => (
            <div class="group" key={code}>
              <p>{summary}</p>
              <p class="note">{advice}</p>
            </div>
          ))}
        </>
      )}
    </Section>
  )
}
