/** What a token is worth: `tokenAmount` atoms buy `nativeAmount` native atoms. Kept as a fraction, so that nothing is rounded yet. */
export interface NativeRate {
  nativeAmount: bigint
  tokenAmount: bigint
}
