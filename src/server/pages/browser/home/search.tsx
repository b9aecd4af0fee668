import { useCallback, useEffect, useState } from 'preact/hooks'
import { messageOf } from '../ask.ts'
import { at } from '../root.ts'
import { PageLink } from '../view/links.tsx'
import { SearchForm } from '../view/search-form.tsx'
import { Fault } from '../view/section.tsx'
import { find, type SearchResult } from './find.ts'

/** Finds what was pasted, and goes there; what is more than one thing, or none, is shown here. */
export function Search() {
  const [result, setResult] = useState<SearchResult>()
  const [fault, setFault] = useState<string>()
  const search = useCallback((text: string) => {
    setFault(undefined)
    setResult(undefined)
    find(text).then(
      (found) => (found.kind === 'page' ? location.assign(at(found.path)) : setResult(found)),
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
      <div role="status">{result && <Found result={result} />}</div>
      {fault !== undefined && <Fault text={fault} />}
    </>
  )
}

function Found({ result }: { result: SearchResult }) {
  if (result.kind === 'errors')
    return (
      <>
        {result.errors.map(({ code, description, advice }) => (
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
  if (result.kind === 'orders')
    return (
      <div class="group">
        <h2>The transaction traded {result.orders.length} orders</h2>
        <ul class="plain-list">
          {result.orders.map(({ uid, text }) => (
            <li key={uid}>
              <PageLink kind="order" id={uid} /> {text}
            </li>
          ))}
        </ul>
        {result.auctions.map((id) => (
          <p key={id}>
            It settled <PageLink kind="auction" id={id} />.
          </p>
        ))}
      </div>
    )
  if (result.kind === 'page') return null
  return (
    <div class="group">
      <h2>Nothing was found</h2>
      <p>{result.text}</p>
    </div>
  )
}
