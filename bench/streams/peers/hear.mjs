// Events of the source, a line each: the account, a tab, and the event as JSON.
import { connect } from 'node:net'
import { createInterface } from 'node:readline'

/** @param {(account: string, text: string) => void} publish */
export function hearEvents(name, publish) {
  const socket = connect({ port: Number(process.env.SOURCE_PORT), host: '127.0.0.1', noDelay: true })
  socket.write(`${name}\n`)
  socket.on('error', () => process.exit(1))
  createInterface({ input: socket }).on('line', (line) => {
    const tab = line.indexOf('\t')
    publish(line.slice(0, tab), line.slice(tab + 1))
  })
}

export function listen(server) {
  server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
    process.stdout.write(`ready http://127.0.0.1:${server.address().port}\n`)
  })
}

export function variablesOf(url) {
  return JSON.parse(new URL(url, 'http://localhost/').searchParams.get('variables'))
}
