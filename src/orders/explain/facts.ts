import type { DiagnosisFacts, JudgedOrder } from '../../domain/diagnosis/facts.ts'
import type { OrderData } from '../../domain/order/order.ts'
import type { FactsAhead } from '../../storage/order/diagnosis/ahead.ts'
import { type DiagnosisServices, serviceFacts } from '../diagnose.ts'

/** What is known of an order that is not placed, as the judgement of placed ones takes it. */
export function factsAhead(
  order: OrderData & Pick<JudgedOrder, 'signingScheme' | 'validFrom' | 'hasPreHooks'>,
  { tokens, market, service, presigned }: FactsAhead,
  services: Pick<DiagnosisServices, 'now' | 'network' | 'auctions'>,
): DiagnosisFacts {
  return {
    now: new Date(services.now()),
    order: {
      ...order,
      ...{ presigned, placementError: null, placementDetail: null },
      // It takes part in no auction yet: what halts them is told from the first moment.
      creationDate: new Date(0),
      effectiveValidTo: order.validTo,
      ...{ executedSellAmount: 0n, executedBuyAmount: 0n, executedFeeAmount: 0n },
      ...{ cancelledAt: null, invalidatedOnChain: false },
    },
    ...{ tokens, market, cancellation: null, lastTrade: null, failedHook: null },
    standing: null,
    ...{ bid: null, bestBid: null, attempt: null, refusal: null, deniedTokens: [], look: null },
    service: serviceFacts(service, services),
  }
}
