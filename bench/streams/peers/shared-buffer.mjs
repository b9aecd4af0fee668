// The least that node:http takes: each event is made into bytes once, and written to everybody who follows its account.
import { createServer } from 'node:http'
import { accountOf, hearEvents, listen } from './hear.mjs'

const followers = new Map()

hearEvents('shared-buffer', (account, text) => {
  const { cursor } = JSON.parse(text)
  const frame = Buffer.from(`event: next\nid: ${cursor}\ndata: {"data":{"notifications":${text}}}\n\n`)
  for (const response of followers.get(account) ?? []) response.write(frame)
})

listen(
  createServer((request, response) => {
    const account = accountOf(request.url)
    const those = followers.get(account) ?? new Set()
    followers.set(account, those.add(response))
    response.on('close', () => those.delete(response))
    response.writeHead(200, { 'Content-Type': 'text/event-stream', 'Cache-Control': 'no-cache' })
    response.flushHeaders()
  }),
)
