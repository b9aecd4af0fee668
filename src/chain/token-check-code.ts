import type { Hex } from '../domain/hex.ts'

/** TokenCheck.sol as the compiler made it. */
export const tokenCheckCode: Hex =
  '0x6080604052600080fd'
