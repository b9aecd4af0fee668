import { present } from './present.ts'

export const orderProgressFields = 'stage solutions { solver executedAmounts { sell buy } }'

export interface OrderProgressResult {
  stage: string
  solutions: { solver: string; executedAmounts: { sell: string; buy: string } | null }[] | null
}

/** Stages whose `value` is always there. */
const competed = ['solved', 'executing', 'traded']

/** null, as for an order that is not known, when the competition that the stage speaks of is not stored. */
export function writeOrderProgress({ stage, solutions }: OrderProgressResult) {
  if (solutions === null && competed.includes(stage)) return null
  return { type: stage, ...present({ value: solutions }) }
}
