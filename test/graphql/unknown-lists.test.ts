import { getNamedType, getNullableType, isListType, isNonNullType, isObjectType } from 'graphql'
import { expect, test } from 'vitest'
import { schema } from '../../src/graphql/schema.ts'

/** Lists without a member beside them that says whether they are complete, by the reason. */
const otherwise: Record<string, string> = {
  'follow from the object itself':
    'Channel.networks Channel.types DecodedEvent.arguments DiagnosisReason.evidence Interactions.post Interactions.pre NetworkContracts.ethFlows Order.tokens OrderDiagnosis.evidence OrderDiagnosis.further QuotePath.hops QuoteRoute.paths RefusedSolution.orderUids RefusedSolution.solutionIds SimulatedLog.topics Solution.orders',
  'are stored with what they belong to':
    'Auction.nativePrices AuctionReport.nativePrices Settlement.trades SettlementAttempt.bookings',
  'belong to an auction that is held here':
    'CurrentAuction.nativePrices CurrentAuction.orders CurrentAuction.surplusCapturingJitOrderOwners CurrentAuctionOrder.feePolicies',
  'have the same as settlements': 'Auction.transactionHashes',
  'are as complete as Accounting': 'Accounting.solvers SolverAccount.partners SolverAccount.tokens',
  'are known if fullAppData is': 'DebugReport.hooks Order.hooks',
  'have what this service wrote':
    'Account.latestNotifications Account.notificationHistory Account.notifications Channel.deliveries Query.bookEvents Query.bookWebhooks Query.channelSubscriptions Query.enabledChannelKinds Query.networks Query.notifications Query.partnerKeys Query.traderActivity',
  'are read when they are named, or refused':
    'Query._entities Query.ordersByUids Query.settlementsOfTransaction Query.tokens Query.transactionOrders',
  'come from a source whose absence is an error, null, or a state of each item':
    'Account.balances BalancesUpdate.balances BundleSimulation.transactions MarketDepth.levels Network.pools Network.tokens PriceHistory.points PricesUpdate.prices QuoteResponse.warnings Token.holders',
  'are computed from the schedule, or null': 'ProgrammaticOrder.parts',
}

test('each list of the schema says whether it is complete, or is listed with the reason', () => {
  const silent = Object.values(schema.getTypeMap()).flatMap((type) => {
    if (!isObjectType(type) || /^__|Connection$|Payload$|Input$/.test(type.name)) return []
    const fields = type.getFields()
    return Object.values(fields).flatMap((field) => {
      const named = getNamedType(field.type)
      const isPage = named.name.endsWith('Connection')
      const isList = isNonNullType(field.type) && isListType(getNullableType(field.type))
      const saysSo = isPage && isObjectType(named) && 'isComplete' in named.getFields()
      const beside = `hasAll${field.name.charAt(0).toUpperCase()}${field.name.slice(1)}`
      return (isPage || isList) && !saysSo && !(beside in fields) ? [`${type.name}.${field.name}`] : []
    })
  })
  const listed = Object.values(otherwise).flatMap((names) => names.split(' '))
  expect(silent.sort()).toEqual(listed.sort())
})
