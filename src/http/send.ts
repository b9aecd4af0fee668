import type { ServerResponse } from 'node:http'

/**
 * Writes a part of a stream, and waits until it has left the process. The connection of a client that reads nothing for
 * `stalledMs` is closed.
 * @returns whether the client is still connected
 */
export function send(res: ServerResponse, part: string, stalledMs: number): Promise<boolean> {
  if (res.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(() => res.destroy(), stalledMs)
    res.write(part, (error) => {
      clearTimeout(timer)
      resolve(!error)
    })
  })
}
