import type { Address } from '../evm/address.ts'
import { isInMarket } from '../quote/quote.ts'
import { wrappedForm } from '../token/token.ts'
import type { FeePolicy } from './policy.ts'

/**
 * The class of an order by its stored quote: in or out of market. It differs from the class in an order's
 * row.
 */
export const feeClasses = ['market', 'limit', 'any'] as const
type FeeClass = (typeof feeClasses)[number]

/** The orders that a rule covers. */
interface Scope {
  /** The class of the orders; `any` by default. */
  orderClass?: FeeClass | undefined
  /** The time in Unix seconds before which no order is charged. */
  effectiveFrom?: number | undefined
}

/** A volume fee of the settings. */
interface VolumeRule extends Scope {
  kind: 'volume'
  /** The factor in parts per million for pairs outside all buckets. */
  factor: bigint
  /** Factors for pairs within a set of tokens; the first bucket with both tokens decides. */
  buckets?: readonly FeeBucket[] | undefined
  /** True to charge trades of a token for itself or for the coin that it wraps; false by default. */
  sameToken?: boolean | undefined
}

interface FeeBucket {
  tokens: readonly Address[]
  factor: bigint
}

/** A protocol fee of the settings; the resulting policy depends on pair, class and time. */
export type FeeRule = (Exclude<FeePolicy, { kind: 'volume' }> & Scope) | VolumeRule

interface TokenPair {
  sellToken: Address
  buyToken: Address
}

type RuledOrder = TokenPair & Parameters<typeof isInMarket>[0]

/** The policies for this order at this time, in the order of the rules, without volume fees of 0. */
export function policiesFor(
  rules: readonly FeeRule[],
  order: RuledOrder,
  wrappedNative: Address,
  nowSeconds: number,
): FeePolicy[] {
  const applying = rules.filter(appliesTo(isInMarket(order) ? 'market' : 'limit', nowSeconds))
  return applying.flatMap((rule) => policyOf(rule, order, wrappedNative) ?? [])
}

/** The volume fees for a quote, in parts per million: those of an order that is in market. */
export function volumeFeesFor(
  rules: readonly FeeRule[],
  pair: TokenPair,
  wrappedNative: Address,
  nowSeconds: number,
): bigint[] {
  return rules.filter(appliesTo('market', nowSeconds)).flatMap((rule) => {
    const policy = policyOf(rule, pair, wrappedNative)
    return policy?.kind === 'volume' ? [policy.factor] : []
  })
}

function appliesTo(orderClass: FeeClass, nowSeconds: number) {
  return ({ orderClass: wanted = 'any', effectiveFrom = 0 }: FeeRule): boolean =>
    nowSeconds >= effectiveFrom && (wanted === 'any' || wanted === orderClass)
}

function policyOf(rule: FeeRule, pair: TokenPair, wrappedNative: Address): FeePolicy | undefined {
  if (rule.kind === 'volume') {
    const factor = volumeFactor(rule, pair, wrappedNative)
    return factor > 0n ? { kind: 'volume', factor } : undefined
  }
  const { kind, factor, maxVolumeFactor } = rule
  return { kind, factor, maxVolumeFactor }
}

/** The volume factor for a pair. On both sides the native coin counts as its wrapped form. */
function volumeFactor(
  { factor, buckets, sameToken }: VolumeRule,
  pair: TokenPair,
  wrappedNative: Address,
): bigint {
  const sell = wrappedForm(pair.sellToken, wrappedNative)
  const buy = wrappedForm(pair.buyToken, wrappedNative)
  if (sell === buy && !sameToken) return 0n
  const bucket = buckets?.find(({ tokens }) =>
    [sell, buy].every((side) => tokens.some((token) => wrappedForm(token, wrappedNative) === side)),
  )
  return bucket?.factor ?? factor
}
