import type { Hex } from '../domain/hex.ts'

/** PoolReader.sol as the compiler made it. */
export const poolReaderCode: Hex =
  '0x6080604052348015600f57600080fd5b50600980601d6000396000f3fe6080604052600080fd'
