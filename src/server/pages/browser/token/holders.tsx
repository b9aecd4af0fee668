import { useCallback } from 'preact/hooks'
import { ask } from '../ask.ts'
import { amountOf, type TokenLike } from '../view/amounts.ts'
import { useAsked } from '../view/asked.ts'
import { PageLink } from '../view/links.tsx'
import { Fault, Section } from '../view/section.tsx'
import { documents } from './documents.ts'

export function Holders({ token, network }: { token: TokenLike; network: string }) {
  const { address } = token
  const read = useCallback(
    async () => (await ask(documents.tokenHolders, { address, network })).token?.holders ?? null,
    [address, network],
  )
  const { value, fault } = useAsked(read)
  return (
    <Section id="holders" title="Who holds the most">
      {fault !== undefined && <Fault text={fault} />}
      {value === null && <p class="empty">No source knows the holders.</p>}
      <ol>
        {value?.nodes.map(({ address, balance }) => (
          <li key={address}>
            <PageLink kind="account" id={address} />: {amountOf(balance, token)}
          </li>
        ))}
      </ol>
      {value && <p class="note">Source: {value.source}</p>}
    </Section>
  )
}
