/** The largest whole number whose square is not above `n`, which is not negative. */
export function squareRootDown(n: bigint): bigint {
  if (n < 2n) return n
  let root = startAbove(n)
  for (;;) {
    const next = (root + n / root) >> 1n
    if (next >= root) return root
    root = next
  }
}

/** Newton's method comes down from any start above the root, the faster the nearer it is; a double has the first 52 bits. */
function startAbove(n: bigint): bigint {
  if (n < 2n ** 1000n) return BigInt(Math.ceil(Math.sqrt(Number(n)) * (1 + 2 ** -50)))
  return (startAbove(n >> 1000n) + 1n) << 500n
}
