import { documents } from './account/documents.ts'
import { queryService } from './ask.ts'

/** Message that the service pushes: `src/notifications/channels/push.ts` writes it. */
interface PushMessage {
  id: string
  title: string
  text: string
  link: string | null
  token?: string
}

interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void
}

interface WindowClient {
  url: string
  focus(): Promise<unknown>
  postMessage(message: unknown): void
}

/** Used part of ServiceWorkerGlobalScope: its types and those of pages exclude each other. */
interface WorkerScope {
  registration: ServiceWorkerRegistration
  clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: true }): Promise<WindowClient[]>
    openWindow(url: string): Promise<unknown>
  }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install', listener: (event: ExtendableEvent) => void): void
  addEventListener(
    type: 'push',
    listener: (event: ExtendableEvent & { data: { json(): PushMessage } | null }) => void,
  ): void
  addEventListener(
    type: 'notificationclick',
    listener: (event: ExtendableEvent & { notification: globalThis.Notification }) => void,
  ): void
}

declare const self: WorkerScope
const pages = () => self.clients.matchAll({ type: 'window', includeUncontrolled: true })
const at = (path: string) => new URL(path, self.registration.scope)

self.addEventListener('install', (event) => event.waitUntil(self.skipWaiting()))

self.addEventListener('push', (event) => {
  const message = event.data?.json()
  if (message) event.waitUntil(Promise.all([show(message), confirm(message)]))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  const { link } = event.notification.data as Pick<PushMessage, 'link'>
  event.waitUntil(open(link ?? self.registration.scope))
})

/** Replaces one with the same tag. */
function show({ id, title, text, link }: PushMessage): Promise<void> {
  return self.registration.showNotification(title, {
    body: text,
    tag: id,
    icon: at('../pages/icon.png').href,
    data: { link },
  })
}

/** Sends a token back, which proves that this browser receives the messages of its channel. */
async function confirm({ token }: PushMessage): Promise<void> {
  if (token === undefined) return
  await queryService(documents.confirm, { input: { token } }, { url: at('../graphql') })
  for (const page of await pages()) page.postMessage('confirmed')
}

async function open(link: string): Promise<void> {
  const page = (await pages()).find(({ url }) => url === link)
  await (page ? page.focus() : self.clients.openWindow(link))
}
