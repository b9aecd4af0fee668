import { useCallback, useEffect, useState } from 'preact/hooks'
import { messageOf, queryService, Refused } from '../ask.ts'
import type { ChannelKind, ChannelsResult, ServiceResult } from '../documents.generated.ts'
import { documents } from './documents.ts'
import type { Session } from './session.ts'

/** Address and keys by which the service sends to this browser. */
interface PushAddress {
  address: string
  pushKeys: { p256dh: string; auth: string }
}

/** The reason why this browser cannot take notifications; undefined if it can. */
function pushFault(): string | undefined {
  if (!isSecureContext) return 'Notifications of the browser need https.'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'This browser cannot take notifications. On a phone, add the page to the home screen first.'
  return undefined
}

/** Requests permission, and registers this browser with its push service. @throws with a text for people */
async function subscribeToPush(publicKey: string): Promise<PushAddress> {
  if ((await Notification.requestPermission()) !== 'granted')
    throw new Error('The browser does not allow notifications of this page.')
  await navigator.serviceWorker.register('worker.js')
  const { pushManager } = await navigator.serviceWorker.ready
  const options = { userVisibleOnly: true, applicationServerKey: publicKey }
  const subscription = await pushManager.subscribe(options).catch(async (fault: unknown) => {
    // The service had another key when this browser subscribed.
    const old = await pushManager.getSubscription()
    if (!old) throw fault
    await old.unsubscribe()
    return pushManager.subscribe(options)
  })
  const { endpoint, keys } = subscription.toJSON()
  return { address: endpoint ?? '', pushKeys: { p256dh: keys?.p256dh ?? '', auth: keys?.auth ?? '' } }
}

/** Calls back when this browser confirmed a channel. @returns a function that ends it */
function onConfirmed(callback: () => void): () => void {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined
  workers?.addEventListener('message', callback)
  return () => workers?.removeEventListener('message', callback)
}

type Channel = ChannelsResult['channelSubscriptions'][number]

const names: Readonly<Record<ChannelKind, string>> = {
  WEBHOOK: 'Webhook',
  EMAIL: 'E-mail',
  PUSH: 'Browser',
  TELEGRAM: 'Telegram',
}

/** Ways to confirm a waiting channel. */
const confirmations: Readonly<Record<ChannelKind, string>> = {
  WEBHOOK: 'Its receiver has to return the token that was posted to it.',
  EMAIL: 'Follow the link in the message that was sent to you.',
  PUSH: 'Waits for the push service of this browser.',
  TELEGRAM: 'Open the chat, and press Start.',
}

const pollMs = 2_000

/** Result of the last action. */
interface Notice {
  text: string
  /** Confirms a channel. */
  link?: string | null
}

interface Props {
  account: string
  session: Session
  service: ServiceResult
  /** The session has ended. */
  onSignedOut(): void
}

export function Channels({ account, session, service, onSignedOut }: Props) {
  const [channels, setChannels] = useState<Channel[]>()
  const [notice, setNotice] = useState<Notice>({ text: '' })
  /** The message of a test whose end is awaited. */
  const [awaited, setAwaited] = useState<string>()
  const { token } = session

  const onFault = useCallback(
    (fault: unknown) => {
      if (fault instanceof Refused && fault.code === 'Unauthorized') return onSignedOut()
      setNotice({ text: messageOf(fault) })
    },
    [onSignedOut],
  )
  const read = useCallback(async () => {
    const { channelSubscriptions } = await queryService(documents.channels, { account }, { token })
    setChannels(channelSubscriptions)
  }, [account, token])
  const act = (work: () => Promise<Notice>) => () => {
    setNotice({ text: '' })
    work()
      .then(async (done) => {
        await read()
        setNotice(done)
      })
      .catch(onFault)
  }

  useEffect(() => {
    read().catch(onFault)
    return onConfirmed(() => read().catch(onFault))
  }, [read, onFault])

  const isWaiting = awaited !== undefined || channels?.some(({ state }) => state === 'PENDING')
  useEffect(() => {
    if (!isWaiting) return
    const timer = setInterval(() => read().catch(onFault), pollMs)
    return () => clearInterval(timer)
  }, [isWaiting, read, onFault])

  const tested = channels
    ?.flatMap(({ deliveries }) => deliveries.nodes)
    .find(({ messageId }) => messageId === awaited)
  const isTaken = tested?.state === 'DELIVERED'
  const testFault = tested?.fault
  useEffect(() => {
    if (isTaken) setNotice({ text: 'The test was delivered.' })
    else if (testFault)
      setNotice({ text: `The test was not delivered: ${testFault}. The service will try again.` })
    else return
    setAwaited(undefined)
  }, [isTaken, testFault])

  const subscribe = (kind: ChannelKind, address?: string) =>
    act(async () => {
      if (kind === 'PUSH') setNotice({ text: 'Waiting for the browser…' })
      const target = kind === 'PUSH' ? await subscribeToPush(service.pushPublicKey ?? '') : { address }
      const input = { account, kind, ...target }
      const { subscribeChannel: answer } = await queryService(documents.subscribe, { input }, { token })
      const { secret, confirmationLink: link, channel } = answer
      if (secret) return { text: `Messages are signed with ${secret}. Copy it now: it is shown only once.` }
      return channel.state === 'ACTIVE'
        ? { text: `${names[kind]} is on.` }
        : { text: confirmations[kind], link }
    })()
  const inputOf = ({ id }: Channel) => ({ input: { account, id } })
  const test = (channel: Channel) =>
    act(async () => {
      setAwaited((await queryService(documents.test, inputOf(channel), { token })).testChannel.messageId)
      return { text: 'The test is sent…' }
    })
  const unsubscribe = (channel: Channel) =>
    act(async () => {
      await queryService(documents.unsubscribe, inputOf(channel), { token })
      return { text: `${nameOf(channel)} is off.` }
    })

  return (
    <>
      <p class="notice" role="status">
        {notice.text}
        {notice.link && (
          <>
            {' '}
            <a href={notice.link}>Open it</a>
          </>
        )}
      </p>
      <ul class="channels">
        {channels?.map((channel) => (
          <li key={channel.id}>
            <div class="section-head">
              <h3>{nameOf(channel)}</h3>
              <span class={channel.state === 'ACTIVE' ? 'state live' : 'state'}>
                {channel.state === 'ACTIVE' ? 'On' : 'Not confirmed'}
              </span>
            </div>
            {channel.state === 'PENDING' && <p class="note">{confirmations[channel.kind]}</p>}
            <div class="buttons">
              {channel.state === 'ACTIVE' && (
                <button type="button" class="plain" onClick={test(channel)}>
                  Send a test<span class="unseen"> to {nameOf(channel)}</span>
                </button>
              )}
              <button type="button" class="plain" onClick={unsubscribe(channel)}>
                Turn off<span class="unseen"> {nameOf(channel)}</span>
              </button>
            </div>
          </li>
        ))}
      </ul>
      <h3>Add a channel</h3>
      {service.enabledChannelKinds.length === 0 && <p class="note">This service has no channels.</p>}
      {service.enabledChannelKinds.map((kind) => (
        <Subscribe key={kind} kind={kind} onSubscribe={(address) => subscribe(kind, address)} />
      ))}
    </>
  )
}

function nameOf({ kind, address }: Pick<Channel, 'kind' | 'address'>): string {
  return address === null ? names[kind] : `${names[kind]} ${address.replace(/^https?:\/\//, '')}`
}

const fields = {
  WEBHOOK: {
    label: 'URL of your webhook',
    input: { type: 'url', placeholder: 'https://hooks.example.com/orders' },
  },
  EMAIL: { label: 'E-mail address', input: { type: 'email', placeholder: 'you@example.com' } },
} as const

function Subscribe({ kind, onSubscribe }: { kind: ChannelKind; onSubscribe(address?: string): void }) {
  const [address, setAddress] = useState('')
  const field = kind === 'WEBHOOK' || kind === 'EMAIL' ? fields[kind] : undefined
  const fault = kind === 'PUSH' ? pushFault() : undefined
  if (fault !== undefined) return <p class="note">{fault}</p>
  if (!field)
    return (
      <button type="button" onClick={() => onSubscribe()}>
        {kind === 'PUSH' ? 'Notify this browser' : `Add ${names[kind]}`}
      </button>
    )
  const id = `new-${kind.toLowerCase()}`
  return (
    <form
      class="subscribe"
      onSubmit={(event) => {
        event.preventDefault()
        onSubscribe(address)
        setAddress('')
      }}
    >
      <label for={id}>{field.label}</label>
      <div class="row">
        <input
          id={id}
          {...field.input}
          maxLength={2_000}
          required
          value={address}
          onInput={({ currentTarget }) => setAddress(currentTarget.value)}
        />
        <button type="submit">Add</button>
      </div>
    </form>
  )
}
