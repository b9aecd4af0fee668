import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { messageOf } from '../ask.ts'
import type { HomeResult } from '../documents.generated.ts'
import { at } from '../root.ts'
import { firstReading, open } from '../view/opening.ts'
import { SearchForm } from '../view/search-form.tsx'
import { Fault } from '../view/section.tsx'
import { find, type SearchResult } from './find.ts'
import { Found } from './found.tsx'

const inAddress = () => new URLSearchParams(location.search).get('q')?.trim() ?? ''

/** Finds what was pasted, and goes there; what is more than one thing, or none, is shown here. The page’s address has the text. */
export function Search({ networks }: { networks: HomeResult['networks'] }) {
  const [asked, setAsked] = useState(() => ({ text: inAddress() }))
  const [result, setResult] = useState<SearchResult>()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    const again = () => setAsked({ text: inAddress() })
    addEventListener('popstate', again)
    return () => removeEventListener('popstate', again)
  }, [])
  useLayoutEffect(() => {
    setFault(undefined)
    setResult(undefined)
    // What is below the answer waits for it; without one nothing moves.
    if (asked.text === '') return open()
    let isOld = false
    const answer = find(asked.text).then(
      (found) => {
        if (isOld) return
        // In the place of the search: who goes back would be led on again.
        if (found.kind === 'page') location.replace(at(found.path))
        else setResult(found)
      },
      (reason) => {
        if (!isOld) setFault(messageOf(reason))
      },
    )
    void firstReading(answer)
    return () => {
      isOld = true
    }
  }, [asked])
  const search = (typed: string) => {
    const text = typed.trim()
    if (text !== inAddress()) history.pushState(null, '', at(`?q=${encodeURIComponent(text)}`))
    setAsked({ text })
  }
  return (
    <>
      <SearchForm searched={asked.text} onSearch={search} />
      <div role="status" class="column">
        {result && <Found result={result} networks={networks} />}
      </div>
      {fault !== undefined && <Fault text={fault} />}
    </>
  )
}
