import { expect, test } from 'vitest'
import { createChannel } from '../../src/sse/channel.ts'
import { frameOf } from '../../src/sse/frames.ts'

test('a stream that is ended names the last event that was written, not one that waits', async () => {
  const channel = createChannel(2, () => 0)
  channel.start('one')
  const hold = async (cursor: string) => {
    const held = await channel.hold({ frame: frameOf('{"data":1}', cursor), cursor }, 'one', false)
    return `event: next\ndata: {"id":"one","payload":${JSON.stringify(held)}}\n\n`
  }
  const [first] = [await hold('7'), await hold('8')]
  expect(channel.endings('SHUTTING_DOWN')).not.toContain('"cursor"')
  expect(channel.restore(first)).toBe('event: next\nid: 7\ndata: {"id":"one","payload":{"data":1}}\n\n')
  expect(channel.endings('SLOW_CONSUMER')).toMatch(/^event: next\nid: 7\n/)
})
