import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Provider {
  url: string
  /** Returns the number of requests so far: reads from memory must send none. */
  requests(): number
  close(): void
}

const result = Array.from({ length: 100 }, (_, index) => ({
  owner_address: `0x${(index + 1).toString(16).padStart(40, '0')}`,
  balance: String(10n ** 24n - BigInt(index)),
}))

/** Mimics Moralis: every token has the same hundred holders. */
export async function startProvider(): Promise<Provider> {
  let count = 0
  const server = createServer((_request, response) => {
    count++
    response.setHeader('Content-Type', 'application/json')
    response.end(JSON.stringify({ result }))
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
