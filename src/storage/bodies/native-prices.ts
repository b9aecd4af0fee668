import { auction, pricedToken } from '../models/auction/auction.ts'
import type { MapMember } from './body.ts'
import { fieldsOf, modelOf } from './fields.ts'

const { price } = fieldsOf(modelOf(auction, 'nativePrices'), 'price')

/** Prices `np` as a map by token. */
export const nativePricesBody = (rows: string): MapMember => ({
  map: { key: pricedToken, value: price },
  rows,
  description: 'By token: native atoms for 10^18 atoms.',
})
