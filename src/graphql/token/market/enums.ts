import { priceIntervals, slippageBases } from '../../../domain/token/price-history.ts'
import { defineEnum } from '../../enums.ts'

export const PriceInterval = defineEnum(
  'PriceInterval',
  'The spacing of a series of prices.',
  priceIntervals,
  {
    fiveMinutes: 'Five minutes, over a day.',
    oneDay: 'A day, over thirty days.',
  },
)

export const SlippageBasis = defineEnum(
  'SlippageBasis',
  'Which prices a volatility comes from.',
  slippageBases,
  {
    ratio: 'The price of one token in the other, at the times at which both are known.',
    tokens: 'The prices of both in US dollars: that of the more volatile one.',
    oneToken: 'The prices of one token in US dollars: those of the other are not known.',
  },
)

export const SlippageMode = defineEnum('SlippageMode', 'How a quote finds the slippage.', ['auto'], {
  auto: 'From the volatility of the market.',
})
