import { derivedOnce } from '../../domain/derived.ts'
import type { OrderUid } from '../../domain/order/order.ts'
import { type DecodedInput, decodeInput } from '../../domain/programmatic/static-input.ts'
import { type TwapPart, type TwapSchedule, twapSchedule } from '../../domain/programmatic/twap.ts'
import { orderUid } from '../../domain/signing/signing.ts'
import type { ProgrammaticRow } from '../../storage/models/programmatic.ts'
import type { Context } from '../context/context.ts'
import { networkOn } from '../network.ts'

/** A programmatic order with everything that follows from its input. */
export interface Terms extends ProgrammaticRow {
  decoded: DecodedInput
  /** Null if it is no TWAP, its terms are not valid, or its start is not known. */
  schedule: TwapSchedule | null
}

/** The UID of a part, which is signed for the settlement contract of its network. */
export const partUid = ({ chainId, owner }: Terms, { order }: TwapPart, context: Context): OrderUid =>
  orderUid(networkOn(chainId, context), order, owner)

export const termsOf = derivedOnce((row: ProgrammaticRow): Terms => {
  const decoded = decodeInput(row.chainId, row)
  const input = decoded.type === 'TWAP' ? decoded.input : null
  const isKnown = input && (input.t0 !== 0n || row.context !== null)
  const schedule = isKnown ? twapSchedule(input, BigInt(row.context ?? 0)) : null
  return {
    ...row,
    decoded,
    schedule: schedule && !('fault' in schedule) && schedule.start > 0 ? schedule : null,
  }
})
