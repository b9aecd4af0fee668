import { once } from 'node:events'
import { type AddressInfo, connect, createServer } from 'node:net'

export interface CuttingProxy extends AsyncDisposable {
  url: string
  cuts(): number
}

/**
 * Passes connections on to a server, and cuts one after so many bytes of the response's body: in the middle
 * of an event as well. Not in its headers: browsers take those that came for all, and miss what allows them
 * to connect again.
 * @param target where it is asked for with each connection, it may move
 * @param cutAfter bytes of the body on a new connection; undefined leaves it whole
 * @param lingerMs between the last byte and the cut: clients drop what they have not read when a body fails
 */
export async function startCuttingProxy(
  target: string | (() => string),
  cutAfter: () => number | undefined,
  lingerMs = 0,
): Promise<CuttingProxy> {
  let cuts = 0
  const open = new Set<() => void>()
  const proxy = createServer((client) => {
    let left = cutAfter() ?? Number.POSITIVE_INFINITY
    const { hostname, port } = new URL(typeof target === 'string' ? target : target())
    const server = connect(Number(port), hostname)
    const end = () => {
      client.destroy()
      server.destroy()
      open.delete(end)
    }
    open.add(end)
    for (const socket of [client, server]) socket.on('error', end).on('close', end)
    client.pipe(server)
    server.once('data', (part) => {
      left += part.indexOf('\r\n\r\n')
    })
    server.on('data', (part) => {
      if (left <= 0) return
      client.write(part.subarray(0, left))
      left -= part.length
      if (left > 0) return
      cuts++
      setTimeout(() => client.destroySoon(), lingerMs)
      server.destroy()
    })
  })
  proxy.listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  return {
    url: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
    cuts: () => cuts,
    async [Symbol.asyncDispose]() {
      proxy.close()
      for (const end of open) end()
    },
  }
}
