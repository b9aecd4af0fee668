import { type Address, toAddress } from '../evm/address.ts'
import { type FeePolicy, factorScale } from './policy.ts'

/** A fee in basis points that an order's application requests in appData. */
export type PartnerFee = { recipient: Address } & (
  | { kind: 'volume'; volumeBps: number }
  | { kind: 'surplus' | 'priceImprovement'; bps: number; maxVolumeBps: number }
)

/** The limit of all partner fees together, as a share of the volume in parts per million. */
export const partnerFeeCap = 10_000n

const ppm = (bps: number): bigint => (BigInt(bps) * factorScale) / 10_000n

/** Parses one fee or a list; `undefined` for an unknown form. */
export function parsePartnerFees(value: unknown): PartnerFee[] | undefined {
  const fees = (Array.isArray(value) ? value : [value]).map(parsePartnerFee)
  return fees.every((fee) => fee !== undefined) ? fees : undefined
}

/**
 * The policies of partner fees, in the same order, each limited to the rest of the cap. Fees on surplus or
 * price improvement count with their maximum volume.
 */
export function partnerPolicies(fees: readonly PartnerFee[], cap = partnerFeeCap): FeePolicy[] {
  let taken = 0n
  return fees.map((fee) => {
    const requested = ppm(fee.kind === 'volume' ? fee.volumeBps : fee.maxVolumeBps)
    const remaining = ((factorScale + cap) * factorScale) / (factorScale + taken) - factorScale
    const volume = requested < remaining ? requested : remaining
    taken += requested < cap - taken ? requested : cap - taken
    const { recipient } = fee
    if (fee.kind === 'volume') return { kind: 'volume', factor: volume, recipient }
    return { kind: fee.kind, recipient, factor: ppm(Math.min(fee.bps, 9_999)), maxVolumeFactor: volume }
  })
}

/** The volume fees among the partner fees, in parts per million. */
export function partnerVolumeFees(fees: readonly PartnerFee[]): bigint[] {
  return partnerPolicies(fees).flatMap((policy) =>
    policy.kind === 'volume' && policy.factor > 0n ? [policy.factor] : [],
  )
}

function parsePartnerFee(value: unknown): PartnerFee | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const fee = value as Record<string, unknown>
  const recipient = typeof fee.recipient === 'string' ? toAddress(fee.recipient) : undefined
  const forms = ['bps', 'volumeBps', 'surplusBps', 'priceImprovementBps'].filter(
    (name) => fee[name] !== undefined,
  )
  const [form, second] = forms
  const bps = form && asBps(fee[form])
  if (!recipient || second || typeof bps !== 'number') return undefined
  if (form === 'bps' || form === 'volumeBps') return { recipient, kind: 'volume', volumeBps: bps }
  const maxVolumeBps = asBps(fee.maxVolumeBps)
  const kind = form === 'surplusBps' ? 'surplus' : 'priceImprovement'
  return maxVolumeBps === undefined ? undefined : { recipient, kind, bps, maxVolumeBps }
}

function asBps(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 1_000_000
    ? value
    : undefined
}
