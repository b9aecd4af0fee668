import { primaryPosition } from './connections/replica.ts'
import { type Db, poolsOf } from './database.ts'
import { prepared } from './plan-names.ts'
import { writePrepared } from './prepared.ts'
import { channel, type Signals } from './signals.ts'

const noteSql = prepared(`SELECT p.place, pg_notify('${channel('writes')}', $1::text || ' ' || p.place)
  FROM (SELECT ${primaryPosition} AS place) p`)

/** Notes a client's write before its answer: from then on the client reads nothing older, in any process. */
export async function noteWrite(db: Db, client: string): Promise<void> {
  const { replica } = poolsOf(db)
  if (!replica) return
  try {
    const [row] = await writePrepared<[place: string, string]>(db, noteSql, [client])
    if (row) replica.wrote(client, row[0])
  } catch (error) {
    replica.forget()
    throw error
  }
}

/** Reports whether reads of clients may be older than the primary. */
export const mayLag = (db: Db): boolean => poolsOf(db).replica !== undefined

/** Notes writes of clients at other processes. */
export function listenForWrites(db: Db, signals: Signals): void {
  const { replica } = poolsOf(db)
  if (!replica) return
  signals.on('writes', (payload) => {
    const [client, place] = payload?.split(' ') ?? []
    if (client && place) replica.wrote(client, place)
    else replica.forget()
  })
}
