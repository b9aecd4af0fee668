import { useCallback, useEffect, useState } from 'preact/hooks'
import { messageOf } from '../ask.ts'
import { at } from '../root.ts'
import { PageLink } from '../view/links.tsx'
import { SearchForm } from '../view/search-form.tsx'
import { Fault } from '../view/section.tsx'
import { type Finding, find } from './find.ts'

/** Finds what was pasted, and goes there; what is more than one thing, or none, is told here. */
export function Search() {
  const [finding, setFinding] = useState<Finding>()
  const [fault, setFault] = useState<string>()
  const search = useCallback((text: string) => {
    setFault(undefined)
    setFinding(undefined)
    find(text).then(
      (found) => (found.kind === 'page' ? location.assign(at(found.path)) : setFinding(found)),
      (reason) => setFault(messageOf(reason)),
    )
  }, [])
  useEffect(() => {
    const text = new URLSearchParams(location.search).get('q')
    if (!text) return
    // Without it, going back would search again.
    history.replaceState(null, '', location.pathname)
    search(text)
  }, [search])
  return (
    <>
      <SearchForm onSearch={search} />
      <div role="status">{finding && <Found finding={finding} />}</div>
      {fault !== undefined && <Fault text={fault} />}
    </>
  )
}

function Found({ finding }: { finding: Finding }) {
  if (finding.kind === 'errors')
    return (
      <>
        {finding.errors.map(({ code, description, advice }) => (
          <div class="group" key={code}>
            <h2>{code}</h2>
            <p>{description}</p>
            <p>
              <strong>What to do:</strong> {advice}
            </p>
            <p class="note">The order was refused, so nothing was placed, and nothing was sold.</p>
          </div>
        ))}
      </>
    )
  if (finding.kind === 'orders')
    return (
      <div class="group">
        <h2>The transaction traded {finding.orders.length} orders</h2>
        <ul class="plain-list">
          {finding.orders.map(({ uid, text }) => (
            <li key={uid}>
              <PageLink kind="order" id={uid} /> {text}
            </li>
          ))}
        </ul>
        {finding.auctions.map((id) => (
          <p key={id}>
            It settled <PageLink kind="auction" id={id} />.
          </p>
        ))}
      </div>
    )
  if (finding.kind === 'page') return null
  return (
    <div class="group">
      <h2>Nothing was found</h2>
      <p>{finding.text}</p>
    </div>
  )
}
