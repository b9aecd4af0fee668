import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { expect, test } from 'vitest'
import { send } from '../../src/http/event-stream.ts'

test('a part is not sent on a connection that was destroyed and has not closed yet', async () => {
  await using server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => {}).write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  const [, res] = await once(server, 'request')
  res.socket.destroy()
  expect(res.destroyed).toBe(false)
  expect(await send(res, 'part', 60_000)).toBe(false)
})
