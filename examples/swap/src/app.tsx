import { type FormEvent, useEffect, useState } from 'react'
import { Notifications, Orders } from './activity.tsx'
import { useOrders } from './data.ts'
import { Field, Swap } from './swap.tsx'
import { useAction } from './tasks.ts'
import { connect, findWallets, type Provider, type Session, testWallet, type Wallet } from './wallet.ts'

export function App() {
  const [session, setSession] = useState<Session>()
  useEffect(() => {
    // The wallet decides about account and network: when it changes them, the page starts again.
    const leave = () => setSession(undefined)
    const events = ['accountsChanged', 'chainChanged']
    for (const event of events) session?.provider.on?.(event, leave)
    return () => {
      for (const event of events) session?.provider.removeListener?.(event, leave)
    }
  }, [session])
  return (
    <main>
      <h1>Swap</h1>
      {session ? <Connected session={session} /> : <Connect onSession={setSession} />}
    </main>
  )
}

function Connected({ session }: { session: Session }) {
  const { orders, problem } = useOrders(session)
  return (
    <>
      <p>{`${session.account} on ${session.network.name}`}</p>
      <Swap session={session} orders={orders} />
      {problem && <p role="alert">{problem}</p>}
      <Orders session={session} orders={orders} />
      <Notifications session={session} />
    </>
  )
}

function Connect({ onSession }: { onSession: (session: Session) => void }) {
  const [url, setUrl] = useState<string>(import.meta.env.VITE_TRADEGRAPH_URL ?? 'http://127.0.0.1:4000')
  const [rpcUrl, setRpcUrl] = useState(sessionStorage.getItem('rpcUrl') ?? '')
  const [index, setIndex] = useState('0')
  const [wallets, setWallets] = useState<readonly Wallet[]>([])
  const { problem, run } = useAction()
  useEffect(
    () => findWallets((one) => setWallets((old) => [...old.filter(({ id }) => id !== one.id), one])),
    [],
  )
  const open = (provider: Provider) => run('connect', () => connect(url, provider).then(onSession))
  function openTestAccount(event: FormEvent) {
    event.preventDefault()
    sessionStorage.setItem('rpcUrl', rpcUrl)
    open(testWallet(rpcUrl, Number(index)))
  }
  return (
    <form onSubmit={openTestAccount}>
      <Field label="Address of the service" type="url" value={url} onText={setUrl} />
      {wallets.length === 0 && <p>There is no wallet in this browser.</p>}
      {wallets.map(({ id, name, provider }) => (
        <button type="button" key={id} onClick={() => open(provider)}>
          Connect {name.slice(0, 40)}
        </button>
      ))}
      <h2>Test account of a local system</h2>
      <Field label="RPC URL of its chain" type="url" required value={rpcUrl} onText={setRpcUrl} />
      <Field label="Test account" type="number" min="0" max="4" value={index} onText={setIndex} />
      <button type="submit">Use the test account</button>
      {problem && <p role="alert">{problem}</p>}
    </form>
  )
}
