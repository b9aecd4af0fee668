import { valueDigits } from '../../domain/order-value.ts'
import { surplusDownSql } from '../surplus.ts'
import { amount, hex, quoted } from './expressions.ts'
import type { Child, Leaf, Noun } from './noun.ts'
import { sql, toSql } from './text.ts'

/** `domain/order-value.ts` in SQL, over order `o`; a test holds the two equal. */

const sold = '(o.executed_sell - o.executed_signed_fee)'

/** At most `digits` digits behind the point, rounded down: whole numbers are divided, so that nothing is rounded on the way. */
const fixedDown = (numerator: string, denominator: string, digits: number) =>
  `trim_scale(div(${numerator} * 1e${digits}, ${denominator}) * 1e-${digits})::text`

const filledPart = (filled: string, signed: string) =>
  `CASE WHEN ${signed} > 0 THEN ${fixedDown(`greatest(0, ${filled})`, signed, valueDigits.fraction)} ELSE '0' END`

export const executedFraction: Leaf = quoted(
  `CASE o.kind WHEN 'sell' THEN ${filledPart(sold, 'o.sell_amount')} ELSE ${filledPart('o.executed_buy', 'o.buy_amount')} END`,
)

export const effectiveReceiver: Leaf = hex(
  `CASE WHEN o.receiver = decode(repeat('00', 20), 'hex') THEN o.owner ELSE coalesce(o.receiver, o.owner) END`,
)

function price(numerator: string, denominator: string): Child {
  const noun: Noun = {
    name: 'Price',
    leaves: {
      decimal: quoted(fixedDown(numerator, denominator, valueDigits.price)),
      numerator: amount(numerator),
      denominator: amount(denominator),
    },
    children: {},
  }
  return {
    noun: () => noun,
    wrap: (item) => sql(`CASE WHEN ${denominator} > 0 THEN ${toSql(item)} ELSE 'null' END`),
  }
}

export const limitPrice = price('o.buy_amount', 'o.sell_amount')
export const executedPrice = price('o.executed_buy', sold)

const surplusNoun: Noun = {
  name: 'Surplus',
  leaves: {
    amount: amount(`(${surplusDownSql({ sell: sold, buy: 'o.executed_buy' })})`),
    token: hex(`CASE o.kind WHEN 'sell' THEN o.buy_token ELSE o.sell_token END`),
  },
  children: {},
}

export const surplus: Child = { noun: () => surplusNoun, wrap: (item) => item }
