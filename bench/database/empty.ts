import { createLog } from '../../src/app/observing/log.ts'
import { clear } from './fill.ts'
import { type BenchServer, openEmbedded, query } from './open.ts'

/** Opens an empty database on the home's single server. @throws when the server does not commit durably */
export async function openEmptyDatabase(home: string, name: string): Promise<BenchServer> {
  const server = await openEmbedded(home, name, createLog('warn'))
  await clear(server.url)
  for (const setting of ['fsync', 'synchronous_commit']) {
    const [row] = await query<Record<string, string>>(server.url, `SHOW ${setting}`)
    if (row?.[setting] !== 'on') throw new Error(`${setting} is ${row?.[setting]}: nothing would be durable`)
  }
  return server
}
