import { render } from 'preact'
import { nameInPath } from '../root.ts'
import { Header } from '../view/header.tsx'
import { FeedSection } from './feed.tsx'
import { OrderSection } from './orders.tsx'
import { ChannelSection } from './sign-in.tsx'

const account = nameInPath()

function AccountPage() {
  return (
    <>
      <Header>
        <h1>
          Account <code>{account}</code>
        </h1>
      </Header>
      <main>
        <div class="column">
          <OrderSection account={account} />
          <FeedSection account={account} />
        </div>
        <ChannelSection account={account} />
      </main>
    </>
  )
}

document.title = `${account.slice(0, 6)}…${account.slice(-4)} · Tradegraph`
render(<AccountPage />, document.body)
