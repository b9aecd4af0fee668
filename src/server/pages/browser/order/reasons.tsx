import { useCallback } from 'preact/hooks'
import { isOver } from '../../../../domain/diagnosis/over.ts'
import { ask } from '../ask.ts'
import { useAsked } from '../view/asked.ts'
import { ChainLink } from '../view/links.tsx'
import { Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'
import { isLive, type Order } from './words.ts'

const endings: readonly string[] = ['FILLED', 'CANCELLED', 'EXPIRED']

function titleOf(hasEnded: boolean, isPartly: boolean, isLate: boolean): string {
  if (hasEnded) return 'How it ended'
  if (isLate) return 'Why it will not be filled any more'
  return isPartly ? 'Why the rest is not filled' : 'Why it is not filled'
}

function furtherTitle(hasEnded: boolean, isPartly: boolean): string {
  if (hasEnded) return 'What there was before'
  return isPartly ? 'What keeps the rest' : 'What else keeps it from being filled'
}

/** Why the order is not filled, or how it ended: what has to be solved first, then the rest. Read again with each change of the order. */
export function Reasons({ order }: { order: Order }) {
  // Of each reading of the order, which comes with every event and now and then.
  const read = useCallback(
    async () => (await ask(documents.orderDiagnosis, { uid: order.uid })).order?.diagnosis,
    [order],
  )
  const { value, fault } = useAsked(read)
  const hasEnded = endings.includes(value?.code ?? '')
  const isPartly = value?.code === 'PARTLY_FILLED'
  const isLate = value != null && isLive(order) && isOver(value)
  return (
    <Section id="reasons" title={titleOf(hasEnded, isPartly, isLate)}>
      {fault !== undefined && <Fault text={fault} />}
      {!value && fault === undefined && <Loading />}
      {value && (
        <>
          <p class="summary">{value.summary}</p>
          {!isPartly && <p>{value.advice}</p>}
          <Contract code={value.code} network={order.network} />
          {value.since && (
            <p class="note">
              {!hasEnded && 'Since '}
              <Time at={value.since} />
            </p>
          )}
          {!hasEnded && !isLate && !isPartly && value.further.length > 0 && (
            <p>That alone does not fill the order: look at what else keeps it.</p>
          )}
          {isLive(order) && (
            <p class="note">
              {isLate ? 'The order expires' : 'If it is not filled before, the order expires'}{' '}
              <Time at={new Date(order.validTo * 1_000)} isRelative />, and what is not filled stays in the
              account.
            </p>
          )}
          {value.further.length > 0 && <h3>{furtherTitle(hasEnded, isPartly)}</h3>}
          {value.further.map(({ code, summary, advice }) => (
            <div class="group" key={code}>
              <p>{summary}</p>
              {!hasEnded && <p class="note">{advice}</p>}
              {!hasEnded && <Contract code={code} network={order.network} />}
            </div>
          ))}
        </>
      )}
    </Section>
  )
}

/** The contract that an advice names. */
function Contract({ code, network }: { code: string; network: Order['network'] }) {
  const { explorerUrl, vaultRelayer, settlementContract } = network
  const isApproved = code === 'ALLOWANCE_MISSING'
  if (!isApproved && code !== 'PRESIGNATURE_MISSING') return null
  return (
    <p class="note">
      {isApproved ? 'The vault relayer: ' : 'The settlement contract: '}
      <ChainLink explorer={explorerUrl} kind="address" id={isApproved ? vaultRelayer : settlementContract} />
    </p>
  )
}
