import { useCallback } from 'preact/hooks'
import { queryService } from '../ask.ts'
import type { ProgrammaticOfAccountResult } from '../documents.generated.ts'
import { serviceUrl } from '../root.ts'
import { PageLink, ProgrammaticLink } from '../view/links.tsx'
import { usePolled } from '../view/polled.ts'
import { partsFilled, programmaticStates, programmaticTitle } from '../view/programmatic.ts'
import { Section } from '../view/section.tsx'
import { Time } from '../view/times.tsx'
import { documents } from './documents.ts'

type Programmatic = ProgrammaticOfAccountResult['programmaticOrders']['nodes'][number]

const refreshMs = 30_000

/**
 * The programmatic orders of the account and of its proxies, newest first; those of a proxy on its own page
 * too. Nothing without any.
 */
export function ProgrammaticSection({ account }: { account: string }) {
  const read = useCallback(() => queryService(documents.programmaticOfAccount, { account }), [account])
  const { value } = usePolled(read, refreshMs)
  if (!value) return null
  const { account: behind, programmaticOrders: own } = value
  const isProxy = behind.programmaticOrders.nodes.length === 0
  const { nodes, pageInfo } = isProxy ? own : behind.programmaticOrders
  if (nodes.length === 0) return null
  const all = serviceUrl(`programmatic-orders?${isProxy ? 'owner' : 'account'}=${account}`)
  return (
    <Section
      id="programmatic"
      title="Programmatic orders"
      aside={pageInfo.hasNextPage && <a href={all}>All</a>}
    >
      <ul class="entries">
        {nodes.map((order) => (
          <Entry key={order.id} order={order} account={account} />
        ))}
      </ul>
    </Section>
  )
}

function Entry({ order, account }: { order: Programmatic; account: string }) {
  const { id, status, creationDate, owner, resolvedOwner } = order
  const [text, tone] = programmaticStates[status]
  return (
    <li class={`order ${tone}`}>
      <ProgrammaticLink id={id} text={programmaticTitle(order)} />
      <div class="section-head">
        <span class={`badge ${tone}`}>{text}</span>
        <Time at={creationDate} />
      </div>
      <p class="note">{partsFilled(order)}</p>
      {owner !== account && (
        <p class="note">
          Of the account’s proxy <PageLink kind="account" id={owner} />
        </p>
      )}
      {resolvedOwner !== account && (
        <p class="note">
          This account is a proxy of <PageLink kind="account" id={resolvedOwner} />
        </p>
      )}
    </li>
  )
}
