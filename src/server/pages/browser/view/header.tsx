import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { type Secret, secretIn } from '../../../../domain/search/secret.ts'
import { serviceUrl } from '../root.ts'
import { SecretWarning } from './secret-warning.tsx'

/**
 * Leads to the first page, which finds the subject.
 * @param searched the text whose result the page shows
 */
export function SearchForm({
  searched = '',
  onSearch,
}: {
  searched?: string
  onSearch?: (text: string) => void
}) {
  const [text, setText] = useState(searched)
  const [secret, setSecret] = useState<Secret>()
  useEffect(() => setText(searched), [searched])
  const isLarge = onSearch !== undefined
  return (
    <search>
      <form
        class={isLarge ? 'row' : 'row small'}
        onSubmit={(event) => {
          event.preventDefault()
          const secret = secretIn(text)
          setSecret(secret)
          if (onSearch) onSearch(text)
          else if (!secret) location.assign(serviceUrl(`?q=${encodeURIComponent(text)}`))
        }}
      >
        <label class={isLarge ? 'wide' : 'unseen'} for="search">
          Search for an order, a transaction, an address, a token, an auction or an error, or ask a question
        </label>
        <input
          id="search"
          type="search"
          autocomplete="off"
          spellcheck={false}
          maxLength={2_000}
          required
          placeholder={isLarge ? 'UID, address, token or question' : 'Search'}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit">Search</button>
      </form>
      {!isLarge && secret && <SecretWarning secret={secret} />}
    </search>
  )
}

const lists = {
  orders: 'Orders',
  trades: 'Trades',
  auctions: 'Auctions',
  tokens: 'Tokens',
  'programmatic-orders': 'Programmatic',
}

/** The name of the service, and links to its lists. */
export function Navigation() {
  const here = location.href.split(/[?#]/, 1)[0]
  return (
    <div class="navigation">
      <a class="brand" href={serviceUrl('.')}>
        Tradegraph
      </a>
      <nav aria-label="Lists">
        <ul>
          {Object.entries(lists).map(([list, name]) => (
            <li key={list}>
              <a href={serviceUrl(list)} aria-current={here === serviceUrl(list) ? 'page' : undefined}>
                {name}
              </a>
            </li>
          ))}
        </ul>
      </nav>
    </div>
  )
}

/** Header of all pages. */
export function Header({ children }: { children: ComponentChildren }) {
  return (
    <header>
      <div class="section-head">
        <Navigation />
        <SearchForm />
      </div>
      {children}
    </header>
  )
}
