import { minOf } from '../amount.ts'
import { zeroAddress } from '../evm/address.ts'
import type { OrderData } from '../order/order.ts'
import type { TwapInput } from './static-input.ts'

const maxUint32 = 2n ** 32n - 1n
/** 365 days. */
const maxFrequency = 31_536_000n

/** The static rules in the order in which the handler checks them, by the message of a broken one. */
const rules = {
  'same token': ({ sellToken, buyToken }) => sellToken !== buyToken,
  'invalid token': ({ sellToken, buyToken }) => sellToken !== zeroAddress && buyToken !== zeroAddress,
  'invalid part sell amount': ({ partSellAmount }) => partSellAmount > 0n,
  'invalid min part limit': ({ minPartLimit }) => minPartLimit > 0n,
  'invalid start time': (_input, start) => start < maxUint32,
  'invalid num parts': ({ n }) => n > 1n && n <= maxUint32,
  'invalid frequency': ({ t }) => t > 0n && t <= maxFrequency,
  'invalid span': ({ span, t }) => span <= t,
} satisfies Record<string, (input: TwapInput, start: bigint) => boolean>

/** The handler's message for a broken rule: such an order can never trade. */
type TwapFault = keyof typeof rules

/** A TWAP with valid terms and its start. Everything about its parts follows by arithmetic. */
export interface TwapSchedule {
  input: TwapInput
  /** Unix seconds. 0 if the order relies on a cabinet that was never written: its time has long passed. */
  start: number
  parts: number
  /** The number of parts that can be signed: the end of any later one does not fit in 32 bits. */
  signableParts: number
}

/** One part. Its window is all that distinguishes it from the other parts. */
export interface TwapPart {
  /** Counted from 0. */
  index: number
  /** The first second in which it can be traded, in Unix seconds. */
  validFrom: number
  /** The last one, which the order is signed with. */
  validTo: number
  order: OrderData
}

/** @param cabinet the value that the contract of conditional orders has stored for the order */
export function twapStart({ t0 }: Pick<TwapInput, 't0'>, cabinet: bigint): bigint {
  return t0 === 0n ? cabinet : t0
}

export function twapSchedule(input: TwapInput, cabinet: bigint): TwapSchedule | { fault: TwapFault } {
  const start = twapStart(input, cabinet)
  for (const [fault, holds] of Object.entries(rules)) {
    if (!holds(input, start)) return { fault: fault as TwapFault }
  }
  const { n, t } = input
  const lastStart = maxUint32 + 1n - start - windowOf(input)
  const signable = lastStart < 0n ? 0n : minOf(n, lastStart / t + 1n)
  return { input, start: Number(start), parts: Number(n), signableParts: Number(signable) }
}

/** The seconds for which a part can be traded. */
export function windowOf({ span, t }: TwapInput): bigint {
  return span === 0n ? t : span
}

/** @returns undefined for a part that cannot be signed, or that the order does not have */
export function twapPart(schedule: TwapSchedule, index: number): TwapPart | undefined {
  const { input, start, signableParts } = schedule
  if (!Number.isInteger(index) || index < 0 || index >= signableParts) return undefined
  const validFrom = start + index * Number(input.t)
  const validTo = validFrom + Number(windowOf(input)) - 1
  return { index, validFrom, validTo, order: partOrder(input, validTo) }
}

function partOrder(input: TwapInput, validTo: number): OrderData {
  const { sellToken, buyToken, receiver, partSellAmount, minPartLimit, appData } = input
  return {
    sellToken,
    buyToken,
    receiver,
    sellAmount: partSellAmount,
    buyAmount: minPartLimit,
    validTo,
    appData,
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
}

/** A page of the parts that can be signed. */
export function twapParts(schedule: TwapSchedule, from: number, count: number): TwapPart[] {
  const length = Math.max(0, Math.min(count, schedule.signableParts - from))
  return Array.from({ length }, (_, place) => twapPart(schedule, from + place)).filter(
    (part) => part !== undefined,
  )
}

/** The part whose order ends at a time: that of a UID, if its digest is the part's. */
export function twapPartByEnd(schedule: TwapSchedule, validTo: number): TwapPart | undefined {
  const { input, start } = schedule
  return twapPart(schedule, (validTo + 1 - Number(windowOf(input)) - start) / Number(input.t))
}

/** The number of parts whose windows have passed, counted without making them. */
export function endedParts({ input, start, signableParts }: TwapSchedule, now: number): number {
  const sinceFirst = now - start - Number(windowOf(input))
  return Math.min(signableParts, Math.max(0, Math.floor(sinceFirst / Number(input.t)) + 1))
}

/** The handler's answer in a block. */
type TwapAnswer =
  | { state: 'part'; part: TwapPart }
  | { state: 'beforeStart'; message: 'before twap start'; next: number }
  /** No part is open until `next`, the start of the next part that can be signed. */
  | { state: 'outsideSpan'; message: 'not within span'; next: number | null }
  | { state: 'finished'; message: 'after twap finish' }
  | { state: 'overflow'; message: "SafeCast: value doesn't fit in 32 bits" }

/** @param now the time of the block, in Unix seconds */
export function twapAt(schedule: TwapSchedule, now: number): TwapAnswer {
  const { input, start, parts, signableParts } = schedule
  if (now < start) return { state: 'beforeStart', message: 'before twap start', next: start }
  const index = Math.floor((now - start) / Number(input.t))
  if (index >= parts) return { state: 'finished', message: 'after twap finish' }
  const part = twapPart(schedule, index)
  if (!part) return { state: 'overflow', message: "SafeCast: value doesn't fit in 32 bits" }
  if (now <= part.validTo) return { state: 'part', part }
  const next = index + 1 < signableParts ? part.validFrom + Number(input.t) : null
  return { state: 'outsideSpan', message: 'not within span', next }
}

/** Reports whether no part can be traded at this time or later. */
export function hasScheduleEnded(answer: TwapAnswer): boolean {
  if (answer.state === 'outsideSpan') return answer.next === null
  return answer.state === 'finished' || answer.state === 'overflow'
}
