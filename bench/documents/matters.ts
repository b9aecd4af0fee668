import { createHash } from 'node:crypto'
import { shape } from '../database/shape.ts'
import type { Subject } from '../database/subjects.ts'
import { post } from '../load/question.ts'
import { askOnce } from '../load/turn.ts'
import type { Matter, ToText } from './document.ts'

/** The maximum: too many to be cached, and few enough to request their ids beforehand. */
const most = 500
const together = 10

/** Derives all subjects from an order's number; see `fill-sql.ts`. */
export function toMatters(orders: readonly Subject[]): Matter[] {
  const chosen = orders.slice(0, most)
  return chosen.map((subject, index) => {
    const auction = Math.ceil(subject.number / shape.groupSize) * shape.auctions
    const others = Array.from({ length: together }, (_, k) => chosen[(index + k) % chosen.length] ?? subject)
    return {
      ...subject,
      auction,
      transaction: createHash('sha256').update(`tx${auction}`).digest(),
      uids: others.map(({ uid }) => uid),
      id: '',
    }
  })
}

/** Reads the orders' ids on a server, by number. `ask` queries one order by `$uid` as `order { id }`. */
export async function readIds(
  port: number,
  matters: readonly Matter[],
  ask: (uid: string) => string,
  toText: ToText,
): Promise<Map<number, string>> {
  const ids = new Map<number, string>()
  for (const { number, uid } of matters) {
    const { body } = await askOnce(port, post('/graphql', ask(toText(uid))))
    const answer = JSON.parse(body.toString()) as { data?: { order?: { id: string } } }
    const id = answer.data?.order?.id
    if (id === undefined) throw new Error(`no id of an order: ${body.toString('utf8', 0, 300)}`)
    ids.set(number, id)
  }
  return ids
}
