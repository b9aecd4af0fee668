import { deviationOf, intervalPoints, type PriceHistory } from '../../../domain/token/price-history.ts'
import type { Sourced } from '../../../domain/token/sourced.ts'
import { plainDecimal } from '../../../domain/token/usd-price.ts'
import { builder } from '../../builder.ts'
import { PriceHistoryRef, PricePointRef, TokenRef } from '../../refs.ts'
import type { Arguments } from '../../relay/paging.ts'
import { sourceFields } from '../sourced.ts'
import { tokenKeyOf } from '../token.ts'
import { PriceInterval } from './enums.ts'

const { source, asOf, age, maxAge, isStale } = sourceFields((history: Sourced<PriceHistory>) => history)

PricePointRef.implement({
  description: 'A price at a time.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => new Date(at) }),
    price: t.field({
      type: 'Decimal',
      description: 'What one whole token cost: in US dollars, or in the other token of its market.',
      resolve: ({ price }) => plainDecimal(price),
    }),
    volume: t.field({
      type: 'Decimal',
      nullable: true,
      description: 'US dollars traded in the 24 hours before; null where the source does not say.',
      resolve: ({ volume }) => (volume === null ? null : plainDecimal(volume)),
    }),
  }),
})

PriceHistoryRef.implement({
  description: 'What a token cost in US dollars, and the source of these prices.',
  fields: (t) => ({
    points: t.field({
      type: [PricePointRef],
      description: 'The oldest first. There may be gaps.',
      extensions: { items: intervalPoints.fiveMinutes },
      resolve: ({ value }, _args, { countItems }) => countItems(value),
    }),
    deviation: t.field({
      type: 'Decimal',
      nullable: true,
      description:
        'How many US dollars the price moves in five minutes: one standard deviation; null for less than two points.',
      resolve: ({ value }) => {
        const deviation = deviationOf(value)
        return deviation === undefined ? null : plainDecimal(deviation)
      },
    }),
    source: t.field(source),
    asOf: t.field(asOf),
    age: t.field(age),
    maxAge: t.field(maxAge),
    isStale: t.field(isStale),
  }),
})

builder.objectField(TokenRef, 'priceHistory', (t) =>
  t.field({
    type: PriceHistoryRef,
    nullable: true,
    description:
      'What one whole token cost in US dollars; null when no source has any. Without an outside source it is what auctions and the own market recorded.',
    extensions: { needsOutsideSource: true },
    args: { interval: intervalArgument(t.arg) },
    resolve: (token, { interval }, { loaders }) => loaders.history[interval].load(tokenKeyOf(token)),
  }),
)

export function intervalArgument(arg: Arguments) {
  return arg({
    type: PriceInterval,
    required: true,
    defaultValue: 'fiveMinutes',
    description: 'The spacing of prices.',
  })
}
