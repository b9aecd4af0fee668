export const tradeFields = `
  blockNumber logIndex orderUid owner buyToken { address } sellToken { address }
  buyAmount sellAmount sellAmountBeforeFees txHash
  executedProtocolFees {
    policy {
      kind surplusFactor surplusMaxVolumeFactor volumeFactor priceImprovementFactor priceImprovementMaxVolumeFactor
    }
    amount token
  }
  order { quote { feeAmount sellAmount buyAmount } }
`

interface PolicyResult {
  kind: 'surplus' | 'volume' | 'priceImprovement'
  surplusFactor: number | null
  surplusMaxVolumeFactor: number | null
  volumeFactor: number | null
  priceImprovementFactor: number | null
  priceImprovementMaxVolumeFactor: number | null
}

type QuoteResult = { feeAmount: string; sellAmount: string; buyAmount: string } | null | undefined

export interface TradeResult {
  blockNumber: number
  logIndex: number
  orderUid: string
  owner: string
  buyToken: { address: string }
  sellToken: { address: string }
  buyAmount: string
  sellAmount: string
  sellAmountBeforeFees: string
  txHash: string | null
  executedProtocolFees: { policy: PolicyResult; amount: string; token: string }[]
  order: { quote: QuoteResult } | null
}

/** Every key is always there. */
export function writeTrade({ order, executedProtocolFees, buyToken, sellToken, ...same }: TradeResult) {
  return {
    ...same,
    buyToken: buyToken.address,
    sellToken: sellToken.address,
    executedProtocolFees: executedProtocolFees.map(({ policy, amount, token }) => ({
      policy: writePolicy(policy, order?.quote),
      amount,
      token,
    })),
  }
}

/** Tagged from outside, by the policy's kind. */
function writePolicy(policy: PolicyResult, quote: QuoteResult) {
  switch (policy.kind) {
    case 'surplus':
      return { surplus: { factor: policy.surplusFactor, maxVolumeFactor: policy.surplusMaxVolumeFactor } }
    case 'volume':
      return { volume: { factor: policy.volumeFactor } }
    case 'priceImprovement':
      return {
        priceImprovement: {
          factor: policy.priceImprovementFactor,
          maxVolumeFactor: policy.priceImprovementMaxVolumeFactor,
          quote: {
            fee: quote?.feeAmount ?? '0',
            sellAmount: quote?.sellAmount ?? '0',
            buyAmount: quote?.buyAmount ?? '0',
          },
        },
      }
  }
}
