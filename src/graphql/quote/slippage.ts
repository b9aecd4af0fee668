import type { z } from 'zod'
import type { Context } from '../context/context.ts'
import { tradingOn } from '../context/networks.ts'
import { QuoteSlippageRef } from '../refs.ts'
import { type QuoteSlippage, readSlippage } from '../token/market/reading.ts'
import type { quoteInput } from './input.ts'

QuoteSlippageRef.implement({
  description: 'The slippage that a quote with `slippage: AUTO` took.',
  fields: (t) => ({
    bps: t.expose('bps', {
      type: 'BasisPoints',
      description: 'That of the market, and at least 50: what `order` has where no other is named.',
    }),
    measuredBps: t.expose('measuredBps', {
      type: 'BasisPoints',
      nullable: true,
      description: 'That of the market, as `Market.slippage`; null when it is not known, or not in time.',
    }),
  }),
})

type Asked = Pick<z.output<typeof quoteInput.schema>, 'network' | 'sellToken' | 'buyToken' | 'slippage'>

/** Null where the input does not ask for one. */
export async function slippageFor(
  { network, sellToken, buyToken, slippage }: Asked,
  context: Context,
): Promise<QuoteSlippage | null> {
  if (slippage !== 'auto') return null
  const { chainId } = tradingOn(context, network).network
  return readSlippage({ chainId, base: sellToken, quote: buyToken }, context)
}
