/**
 * The limit: bare `node:http` over statements that build the whole body, prepared once on each of 10
 * connections. It has no errors, limits or other requests. Argument: database URL.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { shape } from '../database/shape.ts'
import { accountOrdersSql, debugReportSql } from './one-statement-sql.ts'

const { chainId } = shape.network
const pool = new pg.Pool({ connectionString: process.argv[2], max: 10 })

/** Returns the statement for `/debug/{uid}` or `/orders/{owner}/{limit}`. */
function statementFor(path: string): pg.QueryConfig {
  const [, kind, subject = '', limit] = path.split('/')
  const bytes = Buffer.from(subject.slice(2), 'hex')
  return kind === 'debug'
    ? { name: 'debug', text: debugReportSql, values: [chainId, bytes] }
    : { name: 'orders', text: accountOrdersSql, values: [chainId, bytes, limit] }
}

const server = createServer((request, response) => {
  pool.query<{ body: string }>(statementFor(request.url ?? '')).then(
    ({ rows }) => {
      const body = Buffer.from(rows[0]?.body ?? '')
      response.writeHead(rows.length ? 200 : 404, {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
      })
      response.end(body)
    },
    (error) => response.writeHead(500).end(String(error)),
  )
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`ready http://127.0.0.1:${(server.address() as AddressInfo).port}\n`)
})
process.once('SIGTERM', () => process.exit(0))
