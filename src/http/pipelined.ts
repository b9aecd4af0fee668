import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'

/**
 * Closes the responses that wait for their turn on a connection when the connection closes: Node closes only
 * the response whose turn it is.
 */
export function createPipelines(): (socket: Duplex, res: ServerResponse) => void {
  const waiting = new WeakMap<Duplex, Set<ServerResponse>>()

  function pipelineOf(socket: Duplex): Set<ServerResponse> {
    const known = waiting.get(socket)
    if (known) return known
    const pipeline = new Set<ServerResponse>()
    waiting.set(socket, pipeline)
    socket.once('close', () => {
      for (const res of pipeline) {
        res.destroy()
        res.emit('close')
      }
    })
    return pipeline
  }

  return (socket, res) => {
    if (res.socket) return
    const pipeline = pipelineOf(socket)
    pipeline.add(res)
    res.once('socket', () => pipeline.delete(res))
  }
}

/**
 * Runs at once, or when a pipelined response gets its turn or is closed. Data written before its turn would
 * stay in memory.
 */
export function atItsTurn<Result>(res: ServerResponse, run: () => Promise<Result>): Promise<Result> {
  if (res.socket || res.destroyed) return run()
  return new Promise((resolve) => {
    res.once('socket', resolve)
    res.once('close', resolve)
  }).then(run)
}
