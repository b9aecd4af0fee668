import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * The way of a program to its node, closed at first. It notes the methods of each request; a batch is one
 * request.
 */
export async function startWay(rpcUrl: string) {
  let isOpen = false
  const requests: string[][] = []
  const server = createServer(async (request, response) => {
    if (!isOpen) return response.destroy()
    let body = ''
    for await (const chunk of request) body += chunk
    requests.push([JSON.parse(body)].flat().map(({ method }: { method: string }) => method))
    const headers = { 'content-type': 'application/json' }
    const answer = await fetch(rpcUrl, { method: 'POST', headers, body })
    response.end(await answer.text())
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  return {
    rpcUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    open() {
      isOpen = true
    },
    close() {
      isOpen = false
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
