import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { ask, messageOf } from '../ask.ts'
import type { ServiceResult } from '../documents.generated.ts'
import { firstReading } from '../view/opening.ts'
import { Channels } from './channels.tsx'
import { documents } from './documents.ts'
import { forgetSession, OtherAccount, OtherSite, signIn, signOut, storedSession } from './session.ts'
import { findWallets, type Wallet } from './wallets.ts'

/** Where the account’s owner signs in, and manages channels. */
export function ChannelSection({ account }: { account: string }) {
  const [service, setService] = useState<ServiceResult>()
  const [session, setSession] = useState(() => storedSession(account))
  const [fault, setFault] = useState<unknown>()
  useLayoutEffect(() => {
    void firstReading(ask(documents.service, {}).then(setService, setFault))
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
        The owner of this account can have its notifications sent on. A signature proves it: it costs nothing,
        and allows nothing else.
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
