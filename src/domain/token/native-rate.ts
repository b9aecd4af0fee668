/**
 * The value of a token: `tokenAmount` atoms buy `nativeAmount` native atoms. It is a fraction to avoid
 * rounding.
 */
export interface NativeRate {
  nativeAmount: bigint
  tokenAmount: bigint
}
