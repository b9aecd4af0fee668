import type { Database, Tx } from '../../src/storage/database/database.ts'

export interface HeldTransaction<T> {
  result: T
  commit(): Promise<void>
}

/** Runs `work` in a transaction and keeps it open until `commit` is called. */
export function holdTransaction<T>(db: Database, work: (tx: Tx) => Promise<T>): Promise<HeldTransaction<T>> {
  return new Promise((resolve, reject) => {
    let release: () => void
    const released = new Promise<void>((done) => {
      release = done
    })
    const ended = db.transaction(async (tx) => {
      const result = await work(tx)
      resolve({
        result,
        commit() {
          release()
          return ended
        },
      })
      await released
    })
    ended.catch(reject)
  })
}
