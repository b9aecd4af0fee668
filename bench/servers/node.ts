import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { shape } from '../database/shape.ts'

export interface FakeNode {
  url: string
  /** Returns the number of requests so far: reads under test must send none. */
  requests(): number
  close(): void
}

/** Answers the requests that a serving process sends to a chain's node when it starts. */
export async function startNode(): Promise<FakeNode> {
  let count = 0
  const server = createServer((request, response) => {
    count++
    let text = ''
    request.on('data', (data) => {
      text += data
    })
    request.on('end', () => {
      const { id, method } = JSON.parse(text)
      const result = answers[method] ?? block
      response.setHeader('Content-Type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => count,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

const answers: Record<string, string> = {
  eth_chainId: `0x${shape.network.chainId.toString(16)}`,
  // The settlement contract exists.
  eth_getCode: '0x00',
}
const hash = (digit: string) => `0x${digit.repeat(64)}`
const block = { number: '0x0', hash: hash('1'), parentHash: hash('0'), timestamp: '0x65920080' }
