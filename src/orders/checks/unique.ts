import { Refusal } from '../../domain/errors/error.ts'
import type { Check } from '../check.ts'

/** Runs before the checks on chain, so a client that repeats a request whose response was lost gets this error. The insert decides races. */
export const unique: Check = async ({ uid }, { isTaken }) => {
  if (await isTaken(uid)) throw duplicated(uid)
}

export function duplicated(uid: string): Refusal {
  return new Refusal('DuplicatedOrder', 'an order with this UID exists already', { data: { uid } })
}
