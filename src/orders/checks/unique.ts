import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** Asked before the chain is: a client that repeats a request whose answer was lost learns it here. The insert decides races. */
export const unique: Check = async ({ uid }, { isTaken }) => {
  if (await isTaken(uid)) throw duplicated(uid)
}

export function duplicated(uid: string): Refusal {
  return new Refusal('DuplicatedOrder', 'an order with this UID exists already', { data: { uid } })
}
