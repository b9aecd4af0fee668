import { isEndingCode, isTerminalCode, terminalCodeOf } from '../../../../domain/diagnosis/terminal-code.ts'
import { ChainLink, CopyButton } from '../view/links.tsx'
import { isLive } from '../view/orders.ts'
import type { Polled } from '../view/polled.ts'
import { Fault, Loading, Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { type Diagnosis, evidenceOf, isWatched, type Order, type Reason } from './order.ts'

function titleOf(hasEnded: boolean, isPartly: boolean, isLate: boolean, isTradable: boolean): string {
  if (hasEnded) return 'How it ended'
  if (!isTradable) return 'Why it cannot be filled'
  if (isLate) return 'Why it is not offered any more'
  return isPartly ? 'Why the rest is not filled' : 'Why it is not filled'
}

function furtherTitle(hasEnded: boolean, isLate: boolean, isPartly: boolean): string {
  if (hasEnded || isLate) return 'Earlier reasons'
  return isPartly ? 'Reasons for the rest' : 'Other reasons'
}

/** Reasons why the order is not filled, or how it ended: the first to solve, then the rest. */
export function Reasons({
  order,
  value,
  fault,
}: { order: Order } & Pick<Polled<Diagnosis | undefined>, 'value' | 'fault'>) {
  const hasEnded = value !== undefined && isEndingCode(value)
  const isPartly = value?.code === 'PARTLY_FILLED'
  const end = value && terminalCodeOf(value)
  const isDone = end !== undefined
  const isLate = isDone && !hasEnded
  return (
    <Section
      id="reasons"
      title={titleOf(hasEnded, isPartly, isLate, end !== 'NEVER_TRADABLE')}
      isKept={value !== undefined}
    >
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
          <PriceSeen reason={value} isWatched={isWatched(order, value)} />
          {!isDone && !isPartly && value.further.length > 0 && (
            <p>There are more reasons. Read all of them before you act.</p>
          )}
          {isLive(order) && (
            <p class="note">
              {isLate ? 'The order expires' : 'If it is not filled before, the order expires'}{' '}
              <Time at={new Date(order.validTo * 1_000)} isRelative />. Unsold tokens stay in the account.
            </p>
          )}
          {value.further.length > 0 && <h3>{furtherTitle(hasEnded, isLate, isPartly)}</h3>}
          {value.further.map((reason) => (
            <div class="group" key={reason.code}>
              <p>{reason.summary}</p>
              <PriceSeen reason={reason} isWatched={isWatched(order, value)} />
              {(!isDone || isTerminalCode(reason) || reason.code === 'POST_HOOK_FAILED') && (
                <p class="note">{reason.advice}</p>
              )}
              {!isDone && <Contract code={reason.code} network={order.network} />}
            </div>
          ))}
        </>
      )}
    </Section>
  )
}

/** Age from which a distance is not news any more: auctions store a moved one after a minute. */
const unmovedMs = 90_000

/** Time at which the distance in the text of a reason was measured, and whether it is still so. */
function PriceSeen({ reason, isWatched }: { reason: Pick<Reason, 'evidence'>; isWatched: boolean }) {
  const at = evidenceOf(reason, 'PriceEvidence')?.gapSeenAt
  if (!at) return null
  const isUnmoved = isWatched && Date.now() - Date.parse(at) > unmovedMs
  return (
    <p class="note">
      Distance measured <Time at={at} isRelative />
      {isUnmoved && '; auctions keep measuring it, and it has not moved by a tenth of itself since'}
    </p>
  )
}

/** The contract that an advice names. */
function Contract({ code, network }: { code: string; network: Order['network'] }) {
  const { explorerUrl, vaultRelayer, settlementContract } = network
  const isApproved = code === 'ALLOWANCE_MISSING'
  if (!isApproved && code !== 'PRESIGNATURE_MISSING') return null
  const address = isApproved ? vaultRelayer : settlementContract
  return (
    <p class="note">
      {isApproved ? 'The vault relayer: ' : 'The settlement contract: '}
      <ChainLink explorer={explorerUrl} kind="address" id={address} />
      <CopyButton text={address} name="address of the contract" />
    </p>
  )
}
