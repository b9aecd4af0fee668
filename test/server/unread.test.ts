import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import type { RequestTimes } from '../../src/server/listener.ts'
import { ask } from '../http/client.ts'
import { eventually } from '../setup/eventually.ts'
import { openTestServer } from '../setup/server.ts'

const openServer = (requestTimes: Partial<RequestTimes>) => openTestServer({}, { requestTimes })

/** More answers than the buffers of both kernels hold, to one client that does not read by itself. */
const answers = 30

function askWithoutReading(url: string) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).pause()
  socket.on('error', () => {})
  socket.write('GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(answers))
  return Object.assign(socket, { [Symbol.dispose]: () => void socket.destroy() })
}

async function cutAnswers(url: string): Promise<number> {
  const { bytes } = await ask(`${url}/metrics`)
  return Number(/^tradegraph_answers_cut_total (\d+)$/m.exec(bytes.toString())?.[1])
}

describe('a client', () => {
  test('that takes none of its answers is disconnected', async () => {
    await using server = await openServer({ answerMs: 300, answerBytesPerMs: 10_000 })
    using socket = askWithoutReading(server.url)
    await eventually('its connection is closed', async () => (await cutAnswers(server.url)) === 1)
    let taken = 0
    socket.on('data', ({ length }) => {
      taken += length
    })
    socket.resume()
    await eventually('the end', () => socket.closed)
    const { bytes } = await ask(`${server.url}/openapi.json`)
    expect(taken).toBeLessThan(answers * bytes.length)
  })

  test('that takes them too slowly is disconnected, though it never stands still', async () => {
    await using server = await openServer({ answerMs: 300, answerBytesPerMs: 10_000 })
    using socket = askWithoutReading(server.url)
    await eventually('its connection is closed', async () => {
      socket.read(1)
      return (await cutAnswers(server.url)) === 1
    })
  })

  test('has more time for a longer answer', async () => {
    await using server = await openServer({ answerMs: 1, answerBytesPerMs: 50 })
    const { bytes, headers } = await ask(`${server.url}/openapi.json`)
    using socket = askWithoutReading(server.url)
    let taken = 0
    for await (const part of socket) {
      taken += part.length
      if (taken > answers * bytes.length) break
    }
    expect([Number(headers['content-length']), await cutAnswers(server.url)]).toEqual([bytes.length, 0])
  })

  test('that leaves its side of a refused tunnel open is disconnected', async () => {
    await using server = await openServer({ answerMs: 300 })
    const { hostname, port } = new URL(server.url)
    const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true })
    let text = ''
    socket
      .on('error', () => {})
      .on('data', (part) => {
        text += part
      })
    socket.write('CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n')
    await eventually('the answer', () => socket.readableEnded)
    expect(text).toMatch(/^HTTP\/1.1 405 /)
    await eventually('nothing more is taken', () => {
      socket.write('x')
      return socket.closed
    })
    expect(await cutAnswers(server.url)).toBe(0)
  })
})
