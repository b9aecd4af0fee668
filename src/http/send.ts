import type { ServerResponse } from 'node:http'

/**
 * Writes a part of a stream, and waits until it has left the process.
 * @param onStalled called for a client that reads nothing for `stalledMs`; without it the connection is
 *   closed
 * @returns whether the client is still connected
 */
export function send(
  res: ServerResponse,
  part: string,
  stalledMs: number,
  onStalled: () => void = () => res.destroy(),
): Promise<boolean> {
  if (res.destroyed) return Promise.resolve(false)
  return new Promise((resolve) => {
    const timer = setTimeout(onStalled, stalledMs)
    const settle = (isSent: boolean) => {
      clearTimeout(timer)
      res.off('close', onClose)
      resolve(isSent)
    }
    // Node does not call back after a write to a connection that was destroyed and has not closed yet.
    const onClose = () => settle(false)
    res.once('close', onClose)
    res.write(part, (error) => settle(!error))
  })
}
