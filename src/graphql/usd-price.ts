import { ageDown, maxAgeDown } from '../domain/sourced.ts'
import { UsdPriceRef } from './refs.ts'

UsdPriceRef.implement({
  description: 'What a token is worth in US dollars, and who says so.',
  fields: (t) => ({
    price: t.expose('value', {
      type: 'Decimal',
      description: 'US dollars for one whole token: up to 18 significant digits, more than nothing.',
    }),
    source: t.exposeString('source', { description: 'Who was asked, by its name in the settings.' }),
    asOf: t.field({
      type: 'DateTime',
      description: 'When it was asked.',
      resolve: ({ at }) => new Date(at),
    }),
    age: t.field({
      type: 'SafeInt',
      description: 'Whole seconds since then.',
      resolve: (price, _args, { now }) => ageDown(price, now()),
    }),
    maxAge: t.field({
      type: 'SafeInt',
      description: 'Whole seconds after `asOf` for which it may be kept; 0 when it is stale.',
      resolve: (price) => maxAgeDown(price),
    }),
    isStale: t.exposeBoolean('isStale', {
      description: 'Whether it is told again because nobody who should be asked answers now.',
    }),
  }),
})
