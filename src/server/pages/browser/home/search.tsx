import { useCallback, useEffect, useState } from 'preact/hooks'
import { messageOf } from '../ask.ts'
import type { HomeResult } from '../documents.generated.ts'
import { at } from '../root.ts'
import { short } from '../view/amounts.ts'
import { ChainLink, PageLink } from '../view/links.tsx'
import { SearchForm } from '../view/search-form.tsx'
import { Fault } from '../view/section.tsx'
import { find, type SearchResult } from './find.ts'

/** Finds what was pasted, and goes there; what is more than one thing, or none, is shown here. */
export function Search({ networks }: { networks: HomeResult['networks'] }) {
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
      <div role="status">{result && <Found result={result} networks={networks} />}</div>
      {fault !== undefined && <Fault text={fault} />}
    </>
  )
}

function Found({ result, networks }: { result: SearchResult; networks: HomeResult['networks'] }) {
  if (result.kind === 'errors')
    return (
      <>
        {result.beside !== undefined && (
          <p>
            The text names <a href={at(`?q=${result.beside}`)}>{short(result.beside)}</a> too.
          </p>
        )}
        {result.errors.length > 1 && <p>It may be one of these errors, the likeliest first.</p>}
        {result.errors.map(({ code, meaning, advice, approves, outcome }) => (
          <div class="group" key={code}>
            <h2>{code}</h2>
            <p>{meaning}</p>
            <p>
              <strong>What to do:</strong> {advice}
            </p>
            {approves &&
              networks.map(({ name, vaultRelayer, explorerUrl }) => (
                <p key={name}>
                  The contract to approve on {name}:{' '}
                  <ChainLink explorer={explorerUrl} kind="address" id={vaultRelayer} />
                </p>
              ))}
            <p class="note">{outcome}</p>
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
