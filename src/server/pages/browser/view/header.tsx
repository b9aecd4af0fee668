import type { ComponentChildren } from 'preact'
import { at } from '../root.ts'
import { SearchForm } from './search-form.tsx'

/** What all pages begin with. */
export function Header({ children }: { children: ComponentChildren }) {
  return (
    <header>
      <div class="section-head">
        <a class="brand" href={at('.')}>
          Tradegraph
        </a>
        <SearchForm />
      </div>
      {children}
    </header>
  )
}
