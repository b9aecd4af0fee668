import type { Address } from '../evm/address.ts'
import { wrappedForm } from '../token/token.ts'
import type { FeePolicy } from './policy.ts'

/** A volume fee of the settings. */
export interface VolumeRule {
  kind: 'volume'
  /** Parts per million, for pairs outside all buckets. */
  factor: bigint
  /** Unix seconds; no order is charged before. */
  effectiveFrom?: number | undefined
  /** Factors for pairs within a set of tokens; the first bucket with both tokens decides. */
  buckets?: readonly FeeBucket[] | undefined
  /** Whether to charge trades of a token for itself or for the coin that it wraps; false by default. */
  sameToken?: boolean | undefined
}

export interface FeeBucket {
  tokens: readonly Address[]
  factor: bigint
}

/** A protocol fee of the settings; the resulting policy depends on pair and time. */
export type FeeRule = Exclude<FeePolicy, { kind: 'volume' }> | VolumeRule

export interface TokenPair {
  sellToken: Address
  buyToken: Address
}

/** The policies for an order of this pair at this time, in the order of the rules, without volume fees of 0. */
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

/** The volume fees among them, in parts per million, for quotes. */
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

/** On both sides the native coin counts as its wrapped form. */
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
