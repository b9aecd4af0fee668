import { render } from 'preact'
import { ask } from '../ask.ts'
import { nameInPath } from '../root.ts'
import { useAsked } from '../view/asked.ts'
import { type Contract, contractOf } from '../view/contracts.ts'
import { Header } from '../view/header.tsx'
import { Section } from '../view/section.tsx'
import { documents } from './documents.ts'
import { FeedSection } from './feed.tsx'
import { OrderSection } from './orders.tsx'
import { ChannelSection } from './sign-in.tsx'

const account = nameInPath()

const readNetworks = () => ask(documents.contracts, {})

function AccountPage() {
  const { value } = useAsked(readNetworks)
  const contract = contractOf(account, value?.networks ?? [])
  return (
    <>
      <Header>
        <h1>
          {contract ? 'Contract' : 'Account'} <code>{account}</code>
        </h1>
      </Header>
      {contract ? <ContractSection contract={contract} /> : <Sections />}
    </>
  )
}

function Sections() {
  return (
    <main>
      <div class="column">
        <OrderSection account={account} />
        <FeedSection account={account} />
      </div>
      <ChannelSection account={account} />
    </main>
  )
}

/** Errors and wallets name it, and who follows that looks for something else. */
function ContractSection({ contract: { name, use } }: { contract: Contract }) {
  return (
    <main>
      <Section id="contract" title="No trader’s account">
        <p>
          This is {name}. {use} It has no orders of its own.
        </p>
        <p>
          To see your orders, search for the address of your own account: your wallet shows it beside its
          name.
        </p>
      </Section>
    </main>
  )
}

document.title = `${account.slice(0, 6)}…${account.slice(-4)} · Tradegraph`
render(<AccountPage />, document.body)
