import type { FeePolicy } from '../../../domain/fee/policy.ts'
import { decimal } from '../../query/codec.ts'
import { derived, type Field, type Model } from '../../query/model.ts'

/** Parts per million as a plain decimal. */
const factor = (sql: string, description: string) =>
  derived(decimal, `trim_scale(${sql} / 1000000.0)::text`, description)

export const maxVolumeFactor = factor('p.max_volume_factor', 'Its maximum, as a share of the volume.')

const variant = (name: string, description: string, fields: Record<string, Field>): (() => Model) => {
  const model: Model = { name, description, fields }
  return () => model
}

export const feePolicies: Record<FeePolicy['kind'], () => Model> = {
  surplus: variant('SurplusFeePolicy', 'Takes a share of the surplus over the limit price.', {
    factor: factor('p.factor', 'Share of the surplus.'),
    maxVolumeFactor,
  }),
  volume: variant('VolumeFeePolicy', 'Takes a share of the volume.', {
    factor: factor('p.factor', 'Share of the volume.'),
  }),
  priceImprovement: variant('PriceImprovementFeePolicy', 'Takes a share of the surplus over the quote.', {
    factor: factor('p.factor', 'Share of the improvement over the quote.'),
    maxVolumeFactor,
  }),
}

export const feePolicyKinds = Object.keys(feePolicies) as FeePolicy['kind'][]

/** Policy `p`. */
export const feePolicy: Model = {
  name: 'FeePolicy',
  description: 'A rule for a fee of the protocol.',
  fields: {},
  variants: { by: 'p.kind', models: feePolicies },
}
