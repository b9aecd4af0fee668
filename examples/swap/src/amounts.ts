export type Token = { address: string; symbol: string | null; decimals: number | null }

/** Stands for the chain’s own coin, which is no contract. */
export const nativeCoin = `0x${'e'.repeat(40)}`

/** The atoms of a decimal text; undefined if it is not a positive amount of the token. */
export function parseAmount(text: string, { decimals }: Token): bigint | undefined {
  const [, whole, fraction = ''] = /^(\d{1,60})(?:\.(\d*))?$/.exec(text.trim()) ?? []
  if (whole === undefined || decimals === null || fraction.length > decimals) return undefined
  const atoms = BigInt(whole + fraction.padEnd(decimals, '0'))
  return atoms > 0n ? atoms : undefined
}

/** All digits of an amount, without zeros at the end. */
export function decimalText(atoms: bigint, { decimals }: Token): string {
  if (!decimals) return String(atoms)
  const digits = String(atoms).padStart(decimals + 1, '0')
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`.replace(/\.?0+$/, '')
}

/** An amount to read, cut to six decimals, with its token. */
export function amountText(atoms: bigint, token: Token): string {
  return `${decimalText(atoms, token).replace(/(\.\d{6})\d+$/, '$1')} ${symbolOf(token)}`
}

/** A symbol is the token’s own claim: it is cut short, and the address stands for an empty one. */
export const symbolOf = ({ symbol, address }: Token): string =>
  symbol?.trim().slice(0, 12) || `${address.slice(0, 8)}…`
