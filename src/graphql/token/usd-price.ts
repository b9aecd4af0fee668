import type { Sourced } from '../../domain/token/sourced.ts'
import { UsdPriceRef } from '../refs.ts'
import { sourceFields } from './sourced.ts'

const { source, asOf, age, maxAge, isStale } = sourceFields((price: Sourced<string>) => price)

UsdPriceRef.implement({
  description: 'The value of a token in US dollars, and its source.',
  fields: (t) => ({
    price: t.expose('value', {
      type: 'Decimal',
      description: 'US dollars for one whole token: up to 18 significant digits, more than nothing.',
    }),
    source: t.field(source),
    asOf: t.field(asOf),
    age: t.field(age),
    maxAge: t.field(maxAge),
    isStale: t.field(isStale),
  }),
})
