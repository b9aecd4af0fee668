/** What the service needs to send to this browser. */
export interface PushAddress {
  address: string
  pushKeys: { p256dh: string; auth: string }
}

/** Why this browser cannot take notifications; undefined if it can. */
export function pushFault(): string | undefined {
  if (!isSecureContext) return 'Notifications of the browser need https.'
  if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
    return 'This browser cannot take notifications. On a phone, add the page to the home screen first.'
  return undefined
}

/** Asks for permission, and registers this browser with its push service. @throws with a text for people */
export async function subscribeToPush(publicKey: string): Promise<PushAddress> {
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

/** Calls back when a channel was confirmed by this browser. @returns what ends it */
export function onConfirmed(callback: () => void): () => void {
  const workers = 'serviceWorker' in navigator ? navigator.serviceWorker : undefined
  workers?.addEventListener('message', callback)
  return () => workers?.removeEventListener('message', callback)
}
