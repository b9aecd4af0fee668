import { present } from './present.ts'

/** What a list answers. */
export const orderFields = `
  creationDate owner from uid availableBalance
  executedBuyAmount executedSellAmount executedSellAmountBeforeFees executedFeeAmount executedFee executedFeeToken
  invalidated status class settlementContract isLiquidityOrder fullAppData
  sellToken { address } buyToken { address } receiver sellAmount buyAmount feeAmount validTo validFrom
  appData appDataHash kind partiallyFillable sellTokenBalance buyTokenBalance signingScheme signature
  quoteId fullBalanceCheck interactions { pre { target value callData } post { target value callData } }
  onchainUser onchainOrderData { sender placementError } ethflowData { refundTxHash userValidTo }
`

/** What a single read and the debug report answer. */
export const wholeOrderFields = `${orderFields}
  quote { gasAmount gasPrice sellTokenPrice sellAmount buyAmount feeAmount solver verified metadata }
`

export interface OrderResult {
  creationDate: string
  owner: string
  from: string
  uid: string
  availableBalance: null
  executedBuyAmount: string
  executedSellAmount: string
  executedSellAmountBeforeFees: string
  executedFeeAmount: string
  executedFee: string
  executedFeeToken: string
  invalidated: boolean
  status: string
  class: string
  settlementContract: string
  isLiquidityOrder: boolean
  fullAppData: string | null
  sellToken: { address: string }
  buyToken: { address: string }
  receiver: string | null
  sellAmount: string
  buyAmount: string
  feeAmount: string
  validTo: number
  validFrom: number | null
  appData: string
  appDataHash: string
  kind: string
  partiallyFillable: boolean
  sellTokenBalance: string
  buyTokenBalance: string
  signingScheme: string
  signature: string
  quoteId: number | null
  fullBalanceCheck: boolean
  interactions: { pre: unknown[]; post: unknown[] }
  onchainUser: string | null
  onchainOrderData: { sender: string; placementError: string | null } | null
  ethflowData: EthflowData | null
  quote?: Record<string, unknown> | null
}

interface EthflowData {
  refundTxHash: string | null
  userValidTo: number
}

/** Keys that are always there can be null; those in `present` are left out instead. */
export function writeOrder({
  sellToken,
  buyToken,
  validFrom,
  quoteId,
  onchainUser,
  onchainOrderData,
  ethflowData,
  quote,
  ...same
}: OrderResult) {
  return {
    ...same,
    sellToken: sellToken.address,
    buyToken: buyToken.address,
    ...present({ validFrom, quoteId, onchainUser, onchainOrderData, quote }),
    ...present({ ethflowData: ethflowData && writeEthflowData(ethflowData) }),
  }
}

function writeEthflowData({ userValidTo, refundTxHash }: EthflowData) {
  return { userValidTo, refundTxHash, isRefunded: refundTxHash !== null }
}
