import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface CountingNode {
  url: string
  /** Requests so far. */
  requests(): number
  close(): void
}

/** Stands before a node and counts; for turns without a clock. */
export async function startCountingNode(rpcUrl: string): Promise<CountingNode> {
  let count = 0
  const server = createServer(async (request, response) => {
    count++
    const parts: Buffer[] = []
    for await (const part of request) parts.push(part)
    const answer = await fetch(rpcUrl, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Buffer.concat(parts),
    })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(await answer.text())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests: () => count,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
