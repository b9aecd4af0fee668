import { Agent, createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Start and end, in `performance.now()`. */
export type Span = readonly [number, number]

export interface Traffic {
  requests: number
  /** The number of requests by method. */
  byLabel: Map<string, number>
  /** The time of each request, in order of its end. */
  spans: Span[]
}

export interface CountingNode {
  url: string
  /** Takes everything since the last call. */
  take(): Traffic
  /** Drops every request while it is away. */
  setAway(isAway: boolean): void
  close(): void
}

/** Starts a counting proxy of a node, for turns without a clock. */
export async function startCountingNode(rpcUrl: string): Promise<CountingNode> {
  const agent = new Agent({ keepAlive: true })
  let traffic = noTraffic()
  let away = false

  const server = createServer(async (incoming, response) => {
    if (away) return response.destroy()
    const started = performance.now()
    const body = await readAll(incoming)
    const label = labelOf(body.toString())
    const headers = { 'content-type': 'application/json', 'content-length': body.length }
    const outgoing = send(rpcUrl, { method: 'POST', agent, headers }, async (answer) => {
      const text = await readAll(answer)
      traffic.requests++
      traffic.byLabel.set(label, (traffic.byLabel.get(label) ?? 0) + 1)
      traffic.spans.push([started, performance.now()])
      response.writeHead(answer.statusCode ?? 500, { 'content-type': 'application/json' }).end(text)
    })
    outgoing.on('error', () => response.destroy())
    outgoing.end(body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    take() {
      const taken = traffic
      traffic = noTraffic()
      return taken
    },
    setAway(isAway) {
      away = isAway
    },
    close() {
      server.closeAllConnections()
      server.close()
      agent.destroy()
    },
  }
}

function noTraffic(): Traffic {
  return { requests: 0, byLabel: new Map(), spans: [] }
}

async function readAll(message: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of message) parts.push(part)
  return Buffer.concat(parts)
}

interface Call {
  method: string
  params?: unknown[]
}

/** Labels a request; a call that overrides state is a simulation. */
function labelOf(body: string): string {
  const asked = JSON.parse(body) as Call | Call[]
  const name = ({ method, params = [] }: Call) =>
    method === 'eth_call' && params.length > 2 ? 'eth_call with overrides' : method
  if (!Array.isArray(asked)) return name(asked)
  return `batch of ${[...new Set(asked.map(name))].join(', ')}`
}
