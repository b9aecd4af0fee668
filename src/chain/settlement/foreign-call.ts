import type { Result } from 'ethers'
import { address } from '../../domain/evm/address.ts'
import type { Hex } from '../../domain/evm/hex.ts'
import type { Interaction } from '../../domain/order/order.ts'
import { settlementAbi } from './abi.ts'
import { type DecodedSettlement, decodeSettle } from './call.ts'

/** A settlement that was encoded elsewhere, with its calls. */
export interface ForeignSettlement extends DecodedSettlement {
  interactions: readonly [pre: Interaction[], intra: Interaction[], post: Interaction[]]
}

/**
 * The maximum number of items in a list. Lists may overlap in the calldata, so their lengths are read first:
 * decoding must cost no more than a settlement can need.
 */
const maxItems = 300

/**
 * Decodes a settlement.
 * @returns undefined if it is not a `settle` call, one that the contract would refuse, or longer than any
 *   settlement
 */
export function decodeForeign(calldata: Hex): ForeignSettlement | undefined {
  const lengths = listLengths(calldata)
  if (!lengths?.every((length) => length <= maxItems)) return undefined
  const settlement = decodeSettle(calldata)
  const stages = settlement && decodeStages(calldata)
  return settlement && stages && { ...settlement, interactions: stages }
}

function decodeStages(calldata: Hex): ForeignSettlement['interactions'] | undefined {
  try {
    const [, , , stages] = settlementAbi.decodeFunctionData('settle', calldata) as Result
    const [pre = [], intra = [], post = []] = Array.from(stages as Iterable<Result>, toInteractions)
    return [pre, intra, post]
  } catch {
    return undefined
  }
}

function toInteractions(stage: Result): Interaction[] {
  return Array.from(stage as Iterable<Result>, ({ target, value, callData }) => ({
    target: address(target),
    value,
    callData: callData.toLowerCase(),
  }))
}

/** The lengths of tokens, prices, trades and the three lists of interactions. */
function listLengths(calldata: Hex): number[] | undefined {
  const wordAt = (byte: number): number => {
    const start = 10 + byte * 2
    const digits = calldata.slice(start, start + 64)
    return digits.length === 64 && /^0{56}/.test(digits) ? Number.parseInt(digits, 16) : Number.NaN
  }
  const lists = [0, 32, 64].map(wordAt)
  const stages = wordAt(96)
  const inner = [0, 32, 64].map((offset) => stages + wordAt(stages + offset))
  const lengths = [...lists, ...inner].map(wordAt)
  return lengths.some(Number.isNaN) ? undefined : lengths
}
