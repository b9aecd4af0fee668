import type { ServerResponse } from 'node:http'

/**
 * Writes a part of an answer that goes on, and waits until it has left the process. A reader that takes
 * nothing for `stalledMs` is cut off.
 * @returns whether there is still somebody to write to
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
