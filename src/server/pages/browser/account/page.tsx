import { render } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { messageOf, queryService } from '../ask.ts'
import type { ServiceResult } from '../documents.generated.ts'
import { nameInPath } from '../root.ts'
import { type Contract, contractOf, type NetworkContracts } from '../view/contracts.ts'
import { firstReading } from '../view/first-render.ts'
import { Header } from '../view/header.tsx'
import { usePolled } from '../view/polled.ts'
import { Section } from '../view/section.tsx'
import { findWallets, OtherAccount, type Wallet } from '../view/wallets.ts'
import { BalanceSection } from './balances.tsx'
import { Channels } from './channels.tsx'
import { documents } from './documents.ts'
import { FeedSection } from './feed.tsx'
import { OrderSection, UnsignedSection } from './orders.tsx'
import { ProgrammaticSection } from './programmatic.tsx'
import { forgetSession, OtherSite, signIn, signOut, storedSession } from './session.ts'

/** Section in which the account’s owner signs in and manages channels. */
function ChannelSection({ account }: { account: string }) {
  const [service, setService] = useState<ServiceResult>()
  const [session, setSession] = useState(() => storedSession(account))
  const [fault, setFault] = useState<unknown>()
  useLayoutEffect(() => {
    void firstReading(queryService(documents.service, {}).then(setService, setFault))
  }, [])
  const onSignedOut = useCallback(() => {
    forgetSession(account)
    setSession(undefined)
  }, [account])
  return (
    <section aria-labelledby="channels-title">
      <div class="section-head">
        <h2 id="channels-title">Channels</h2>
        {session && (
          <button
            type="button"
            class="plain"
            onClick={() => {
              setSession(undefined)
              void signOut(account, session).catch(setFault)
            }}
          >
            Sign out
          </button>
        )}
      </div>
      {fault !== undefined && <Fault fault={fault} />}
      {service && session && <Channels {...{ account, session, service, onSignedOut }} />}
      {service && !session && (
        <SignIn
          onWallet={(wallet) => {
            setFault(undefined)
            const chainIds = service.networks.map(({ chainId }) => chainId)
            signIn(account, wallet.provider, chainIds).then(setSession, setFault)
          }}
        />
      )}
    </section>
  )
}

function SignIn({ onWallet }: { onWallet(wallet: Wallet): void }) {
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  useEffect(() => findWallets(setWallets), [])
  return (
    <>
      <p>
        The owner of this account can receive its notifications by e-mail, chat, webhook or in the browser.
        Sign in with the account’s key: the signature costs nothing and allows nothing else.
      </p>
      {wallets.length === 0 && <p class="note">There is no wallet in this browser.</p>}
      {wallets.map((wallet) => (
        <button key={wallet.id} type="button" onClick={() => onWallet(wallet)}>
          Sign in with {wallet.name}
        </button>
      ))}
    </>
  )
}

function Fault({ fault }: { fault: unknown }) {
  return (
    <p class="fault" role="alert">
      {messageOf(fault)}{' '}
      {fault instanceof OtherSite && <a href={fault.uri + location.pathname}>Open it there</a>}
      {fault instanceof OtherAccount && <a href={fault.account.toLowerCase()}>Open its page</a>}
    </p>
  )
}

const account = nameInPath()

const readNetworks = () => queryService(documents.contracts, {})

function AccountPage() {
  const { value } = usePolled(readNetworks)
  const contract = contractOf(account, value?.networks ?? [])
  return (
    <>
      <Header>
        <h1>
          {contract ? 'Contract' : 'Account'} <code>{account}</code>
        </h1>
      </Header>
      {contract ? <ContractSection contract={contract} /> : <Sections networks={value?.networks ?? []} />}
    </>
  )
}

function Sections({ networks }: { networks: readonly NetworkContracts[] }) {
  return (
    <main>
      <div class="column">
        <UnsignedSection account={account} />
        <OrderSection account={account} />
        <ProgrammaticSection account={account} />
        {networks.map(({ name }) => (
          <BalanceSection key={name} account={account} network={name} />
        ))}
        <FeedSection account={account} />
      </div>
      <ChannelSection account={account} />
    </main>
  )
}

/** Section for a contract that errors and wallets name: such visitors look for something else. */
function ContractSection({ contract: { name, use } }: { contract: Contract }) {
  return (
    <main>
      <Section id="contract" title="No trader’s account">
        <p>
          This is {name}. {use} It has no orders of its own.
        </p>
        <p>
          To see your orders, search for the address of your own account: your wallet shows it next to its
          name.
        </p>
      </Section>
    </main>
  )
}

document.title = `${account.slice(0, 6)}…${account.slice(-4)} · Tradegraph`
render(<AccountPage />, document.body)
