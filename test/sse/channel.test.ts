import { expect, test } from 'vitest'
import { createChannel } from '../../src/sse/channel.ts'
import { frameOf } from '../../src/sse/frames.ts'

test('a stream that is ended names the last event that was written, not one that waits', async () => {
  const channel = createChannel(2, () => 0)
  channel.start('one')
  const queue = (cursor: string) =>
    channel.queue({ frame: frameOf('{"data":1}', cursor), cursor }, 'one', false)
  await queue('7')
  await queue('8')
  expect(channel.endings('SHUTTING_DOWN')).not.toContain('"cursor"')
  expect(channel.next()).toBe('event: next\nid: 7\ndata: {"id":"one","payload":{"data":1}}\n\n')
  expect(channel.endings('SLOW_CONSUMER')).toMatch(/^event: next\nid: 7\n/)
})
