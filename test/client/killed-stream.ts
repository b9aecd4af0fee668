import { numbered } from '../fakes/order.ts'
import { storeNotification } from '../fakes/story.ts'
import { startCuttingProxy } from '../setup/cutting-proxy.ts'
import { eventually } from '../setup/eventually.ts'
import type { TestServer } from '../setup/server.ts'

export type ClientPackage = typeof import('../../src/client/package.ts')

/**
 * Follows notifications through a proxy that kills each connection after some bytes, in the middle of events
 * as well, while notifications are written.
 * @returns the messages that came, and those that were written
 */
export async function readThroughKills(
  { createClient, subscribe, AccountNotificationsDocument }: ClientPackage,
  server: TestServer,
  kills: number,
): Promise<{ read: string[]; written: string[]; kills: number }> {
  const account = numbered('fb')
  const cutAfter = () => (proxy.cuts() < kills ? 50 + Math.floor(Math.random() * 3_000) : undefined)
  await using proxy = await startCuttingProxy(server.url, cutAfter, 20)
  const end = new AbortController()
  const read: string[] = []
  const variables = { account }
  const options = { after: 'earliest', signal: end.signal }
  const client = createClient({ url: proxy.url })
  const reading = (async () => {
    for await (const { notifications } of subscribe(client, AccountNotificationsDocument, variables, options))
      read.push(notifications.node.message)
  })().catch((fault) => {
    if (!end.signal.aborted) throw fault
  })
  const written: string[] = []
  while (proxy.cuts() < kills) {
    await storeNotification(server.database.db, account, written.length)
    written.push(`notification ${written.length}`)
    // No faster than they are read: each connection gets some.
    await eventually(
      'the last ones are read',
      () => written.length - read.length < 20 || proxy.cuts() >= kills,
    )
  }
  await storeNotification(server.database.db, account, written.length)
  written.push(`notification ${written.length}`)
  await Promise.race([reading, eventually('the last one', () => read.includes(written.at(-1) ?? ''))])
  end.abort()
  await reading
  return { read, written, kills: proxy.cuts() }
}
