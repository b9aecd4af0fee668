import { zeroAddress } from '../evm/address.ts'
import type { OrderData } from '../order/order.ts'
import { domainName, domainVersion, orderTypes, type SigningDomain } from './signing.ts'

const domainTypes = [
  { name: 'name', type: 'string' },
  { name: 'version', type: 'string' },
  { name: 'chainId', type: 'uint256' },
  { name: 'verifyingContract', type: 'address' },
]

/** The typed data for `eth_signTypedData_v4`: JSON, with amounts as decimal text. */
export function orderTypedData({ chainId, settlement }: SigningDomain, order: OrderData) {
  return {
    types: { EIP712Domain: domainTypes, ...orderTypes },
    primaryType: 'Order',
    domain: { name: domainName, version: domainVersion, chainId, verifyingContract: settlement },
    message: {
      sellToken: order.sellToken,
      buyToken: order.buyToken,
      receiver: order.receiver ?? zeroAddress,
      sellAmount: order.sellAmount.toString(),
      buyAmount: order.buyAmount.toString(),
      validTo: order.validTo,
      appData: order.appData,
      feeAmount: order.feeAmount.toString(),
      kind: order.kind,
      partiallyFillable: order.partiallyFillable,
      sellTokenBalance: order.sellTokenBalance,
      buyTokenBalance: order.buyTokenBalance,
    },
  }
}
