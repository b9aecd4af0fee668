import { Client } from 'pg'

/** A connection beside the program's own, to see what stands in the database and to interfere. */
export async function connectDirectly(url: string): Promise<Client & AsyncDisposable> {
  const client = new Client({ connectionString: url })
  await client.connect()
  return Object.assign(client, { [Symbol.asyncDispose]: () => client.end() })
}

/** Deletes every row, which is faster than another database. */
export async function emptyTables(client: Client): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    `SELECT quote_ident(tablename) AS name FROM pg_tables WHERE schemaname = 'public' AND tablename NOT LIKE '\\_%'`,
  )
  await client.query(rows.map(({ name }) => `DELETE FROM ${name}`).join(';'))
}
