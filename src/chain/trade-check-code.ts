import type { Hex } from '../domain/hex.ts'

/** TradeCheck.sol as the compiler made it. */
export const tradeCheckCode: Hex =
  '0x6080604052600080fd'
