import { render } from 'preact'
import { serviceUrl } from '../root.ts'
import { Header } from '../view/header.tsx'
import { Section } from '../view/section.tsx'

function MissingPage() {
  return (
    <>
      <Header>
        <h1>There is no such page</h1>
      </Header>
      <main class="list-page">
        <Section id="missing" title="What you can do">
          <p>No page has this address. It may be incomplete or misspelt.</p>
          <ul>
            <li>
              Search above for an order, a transaction, an address, an auction, or the text of an error.
            </li>
            <li>
              <a href={serviceUrl('.')}>Go to the home page</a>
            </li>
          </ul>
        </Section>
      </main>
    </>
  )
}

document.title = 'There is no such page · Tradegraph'
render(<MissingPage />, document.body)
