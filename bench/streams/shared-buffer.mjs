// The minimum work of node:http: each event becomes bytes once, written to all followers of its account.
import { createServer } from 'node:http'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

const followers = new Map()
/** The latest events of each account, for readers that resume: as many as the bench lets them miss. */
const latest = new Map()
const kept = 50

// Events of the source, a line each: the account, a tab, and the event as JSON.
const source = connect({ port: Number(process.env.SOURCE_PORT), host: '127.0.0.1', noDelay: true })
source.write('shared-buffer\n')
source.on('error', () => process.exit(1))
createInterface({ input: source }).on('line', (line) => {
  const tab = line.indexOf('\t')
  const [account, text] = [line.slice(0, tab), line.slice(tab + 1)]
  const { cursor } = JSON.parse(text)
  const frame = Buffer.from(`event: next\nid: ${cursor}\ndata: {"data":{"notifications":${text}}}\n\n`)
  latest.set(account, [...(latest.get(account) ?? []), frame].slice(-kept))
  for (const response of followers.get(account) ?? []) response.write(frame)
})

const server = createServer((request, response) => {
  // A request of another client, while readers resume.
  if (request.method === 'POST') return response.end('{"cursor":"1"}')
  const { searchParams } = new URL(request.url, 'http://localhost/')
  const { account, after } = JSON.parse(searchParams.get('variables'))
  const those = followers.get(account) ?? new Set()
  followers.set(account, those.add(response))
  response.on('close', () => those.delete(response))
  response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
  response.flushHeaders()
  if (after !== null) response.write(Buffer.concat(latest.get(account) ?? []))
})
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  process.stdout.write(`ready http://127.0.0.1:${server.address().port}\n`)
})
