import { expect, test } from 'vitest'
import type { NotificationType } from '../../../src/domain/notification/notification.ts'
import { toOrderUid } from '../../../src/domain/order/order.ts'
import { orderPageOf } from '../../../src/notifications/channels/message.ts'
import { readNodeId } from '../../../src/storage/query/node-id.ts'
import { numbered } from '../../fakes/order.ts'

const owner = numbered('77')
const hash = `0x${'6694d74e30e4de04'.repeat(4)}`
const publicUrl = new URL('https://trade.example')

function linkOf(type: NotificationType, end: string) {
  const orderId = toOrderUid(`${hash}${owner.slice(2)}${end}`) ?? expect.fail()
  const metadata = { orderId, chainId: 100 }
  const notification = { id: '1', account: owner, type, message: '', timestamp: new Date(0), metadata }
  return { orderId, link: orderPageOf({ notification }, publicUrl) }
}

test.each(['programmatic_finished', 'programmatic_cancelled'] as const)(
  '%s links the programmatic order',
  (type) => {
    const { link } = linkOf(type, '00000000')
    const [, id = ''] = /^https:\/\/trade\.example\/programmatic\/([\w-]{100,400})$/.exec(link ?? '') ?? []
    expect(readNodeId(id)).toBe(`ProgrammaticOrder:100:${owner}:${hash}`)
  },
)

test.each(['part_filled', 'order_filled'] as const)('%s links its order', (type) => {
  const { link, orderId } = linkOf(type, '6b0d3741')
  expect(link).toBe(`https://trade.example/orders/${orderId}`)
})
