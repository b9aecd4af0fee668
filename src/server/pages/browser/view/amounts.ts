import { mulDivDown, priceScale } from '../../../../domain/amount.ts'

/** A token on pages. */
export interface TokenLike {
  address: string
  symbol?: string | null
  decimals?: number | null
}

export const short = (hex: string): string => (hex.length > 22 ? `${hex.slice(0, 8)}…${hex.slice(-6)}` : hex)

const maxSymbol = 16

/** The symbol without invisible characters and those that turn text around: contracts may contain any. */
export function symbolOf({ symbol, address }: TokenLike): string {
  const clean = [...(symbol ?? '').replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()]
  if (clean.length === 0) return short(address)
  return clean.length > maxSymbol ? `${clean.slice(0, maxSymbol).join('')}…` : clean.join('')
}

/** Six digits, or all in front of the point, as texts of the service have them. */
const figures = new Intl.NumberFormat('en', {
  maximumFractionDigits: 0,
  maximumSignificantDigits: 6,
  roundingPriority: 'morePrecision',
  roundingMode: 'trunc',
})

/** A plain decimal number of any size for people, rounded towards zero. */
export const readable = (decimal: string): string => figures.format(decimal as Intl.StringNumericLiteral)

const usd = { style: 'currency', currency: 'USD', roundingMode: 'trunc' } as const
const cents = new Intl.NumberFormat('en', usd)
const small = new Intl.NumberFormat('en', {
  ...usd,
  minimumSignificantDigits: 2,
  maximumSignificantDigits: 4,
})

/** US dollars of a plain decimal number, rounded towards zero: “$1,496.20”, and “$0.0004567” below a cent. */
export const dollars = (decimal: string): string =>
  (Number(decimal) > 0 && Number(decimal) < 0.01 ? small : cents).format(decimal as Intl.StringNumericLiteral)

const sources: Readonly<Record<string, string>> = {
  orderbook: 'the markets that this service reads',
  own: 'the transfers that this service has read',
}

/** A source of prices or holders, in words. */
export const sourceWords = (source: string): string => sources[source] ?? source

/** Atoms as whole tokens, exact; atoms without decimals. */
export function exact(atoms: string | bigint, decimals: number | null | undefined): string {
  const digits = String(atoms).padStart((decimals ?? 0) + 1, '0')
  if (!decimals) return digits
  return `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Such as “1,493.97 USDC”. */
export function amountOf(atoms: string | bigint, token: TokenLike): string {
  const unit = token.decimals == null ? ` atoms of ${symbolOf(token)}` : ` ${symbolOf(token)}`
  return `${readable(exact(atoms, token.decimals))}${unit}`
}

/** The native coin of a network whose name is not known. */
export const unnamedCoin = { address: '', symbol: 'coins', decimals: 18 }

/** The price of one whole token in the native coin. @param price native atoms for 10^18 atoms */
export const coinPriceDown = (price: string, decimals: number, coin: TokenLike): string =>
  amountOf(mulDivDown(BigInt(price), 10n ** BigInt(decimals), priceScale), coin)
