import type { Address } from '../evm/address.ts'
import { wrappedForm } from '../token/token.ts'
import type { FeePolicy } from './policy.ts'

/** A volume fee as it is configured. */
export interface VolumeRule {
  kind: 'volume'
  /** Parts per million, for pairs that no bucket holds. */
  factor: bigint
  /** Unix seconds: nobody is charged before. */
  effectiveFrom?: number | undefined
  /** Factors of their own for pairs among these tokens; the first bucket that holds both decides. */
  buckets?: readonly FeeBucket[] | undefined
  /** Whether a token traded for itself, or for the coin that it wraps, is charged too; no without this. */
  sameToken?: boolean | undefined
}

export interface FeeBucket {
  tokens: readonly Address[]
  factor: bigint
}

/** A protocol fee as it is configured: what it comes to depends on the pair and on the time. */
export type FeeRule = Exclude<FeePolicy, { kind: 'volume' }> | VolumeRule

export interface TokenPair {
  sellToken: Address
  buyToken: Address
}

/** What an order of this pair is charged at this time, in the order of the rules. A volume fee of nothing is none. */
export function policiesFor(
  rules: readonly FeeRule[],
  pair: TokenPair,
  wrappedNative: Address,
  nowSeconds: number,
): FeePolicy[] {
  return rules.flatMap((rule): FeePolicy[] => {
    if (rule.kind !== 'volume') return [rule]
    const factor = volumeFactor(rule, pair, wrappedNative, nowSeconds)
    return factor > 0n ? [{ kind: 'volume', factor }] : []
  })
}

/** The volume fees among them, in parts per million: a quote shows what an auction charges. */
export function volumeFeesFor(
  rules: readonly FeeRule[],
  pair: TokenPair,
  wrappedNative: Address,
  nowSeconds: number,
): bigint[] {
  return policiesFor(rules, pair, wrappedNative, nowSeconds).flatMap((policy) =>
    policy.kind === 'volume' ? [policy.factor] : [],
  )
}

/** The native coin counts as its wrapped form, on either side. */
function volumeFactor(
  { factor, effectiveFrom, buckets, sameToken }: VolumeRule,
  pair: TokenPair,
  wrappedNative: Address,
  nowSeconds: number,
): bigint {
  if (effectiveFrom !== undefined && nowSeconds < effectiveFrom) return 0n
  const sell = wrappedForm(pair.sellToken, wrappedNative)
  const buy = wrappedForm(pair.buyToken, wrappedNative)
  if (sell === buy && !sameToken) return 0n
  const bucket = buckets?.find(({ tokens }) =>
    [sell, buy].every((side) => tokens.some((token) => wrappedForm(token, wrappedNative) === side)),
  )
  return bucket?.factor ?? factor
}
