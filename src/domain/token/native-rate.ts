/** Value of a token: `tokenAmount` atoms buy `nativeAmount` native atoms. A fraction, to avoid rounding. */
export interface NativeRate {
  nativeAmount: bigint
  tokenAmount: bigint
}
