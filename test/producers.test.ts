import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { GraphQLEnumType } from 'graphql'
import { expect, test } from 'vitest'
import { refusalCodes } from '../src/domain/errors/refusal-codes.ts'
import { channelEnds } from '../src/domain/notification/channel.ts'
import { schema } from '../src/graphql/schema.ts'

const root = path.join(import.meta.dirname, '..', 'src')

/** Code without comments, documentation, types, lists, comparisons and keys: it has the literals that make values. */
const produced = (text: string) =>
  text
    .replace(/^\s*(?:\*|\/\*\*|\/\/).*$/gm, '')
    .replace(/^export const \w+ = \[[^\]]*\] as const/gm, '')
    .replace(/\b(?:codes|refused): \[[^\]]*\]/g, '')
    .replace(/'[\w-]+'(?= \|)|(?<=\| )'[\w-]+'|(?:[!=]==?|case) '[\w-]+'|'[\w-]+':/g, '')

const sources = readdirSync(root, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.ts') && !file.includes('generated'))
  .map((file) => ({ file, text: produced(readFileSync(path.join(root, file), 'utf8')) }))

/** Beginnings of the paths of the files that make the values of each list; not those that read or describe them. */
const producers: Record<string, string> = {
  CancellationSource: 'orders/cancel orders/place indexer/endings mirror/mirror',
  ChannelEnd: 'notifications/channels/manage notifications/channels/email notifications/delivery/turn',
  ChannelState: 'storage/channels/channels',
  DeliveryState: 'storage/channels/ notifications/delivery/turn',
  DiagnosisCode:
    'domain/diagnosis/diagnose domain/diagnosis/account-r domain/diagnosis/auction-r domain/diagnosis/end-r domain/diagnosis/price-r domain/quote/impact orders/explain/',
  Eligibility: 'storage/affiliate/statistics',
  FeeKind: 'indexer/log-rows',
  HookOutcome: 'domain/settlement/hooks',
  ImprovementReference: 'domain/order/surplus',
  LeftOutReason: 'auctions/ domain/order/trading-policy',
  NotificationType: 'notifications/record notifications/programmatic',
  OrderEventLabel:
    'storage/order/insert domain/order/event auctions/record auctions/admission/standings notifications/record indexer/endings',
  OrderEventReason: 'auctions/ domain/order/trading-policy orders/cancel',
  OrderStage: 'domain/order/status',
  OrderStandingReason: 'auctions/ domain/order/trading-policy',
  OrderStatus: 'domain/order/status',
  PlacementError: 'orders/place-on-chain',
  ProgrammaticDiagnosisCode: 'domain/programmatic/diagnosis domain/programmatic/poll indexer/watch-tower',
  ProgrammaticOrderSource: 'storage/chain/programmatic',
  ProgrammaticOrderStatus: 'domain/programmatic/status.ts',
  ProgrammaticPartStatus: 'domain/programmatic/status.ts',
  ProgrammaticPollResult: 'domain/programmatic/poll indexer/watch-tower',
  RefusalCode:
    'accounts/ affiliates/ app-data/ auctions/ domain/app-data/ domain/order/ execution/ graphql/ http/ indexer/ mirror/ notifications/ orders/ quotes/ rest/order/ rest/affiliate/ rest/trades server/ solvers/ sse/ storage/ tokens/',
  SettlementOutcome: 'storage/models/auction/settlement-attempt',
  SignatureMistake: 'domain/signing/known-mistakes domain/signing/explain-signature',
  SlippageBasis: 'domain/token/price-history',
  SolutionRefusalCode: 'auctions/ solvers/ domain/settlement/execution app/chain/accounts',
  SolverAnswerKind: 'auctions/compete',
  SolverOutcomeKind: 'storage/models/order/solver-outcome auctions/compete',
  UnknownHookReason: 'indexer/late/hooks storage/chain/hook-calls',
  ValueState: 'tokens/prices tokens/watch',
}

/** Enums whose values come from outside: from clients, settings, contracts, or an order book that is followed. */
const fromOutside = [
  'AnnouncementLocation',
  'BuyTokenDestination',
  'ChannelKind',
  'FeePolicyKind',
  'HookPhase',
  'OrderClass',
  'OrderKind',
  'PriceInterval',
  'PriceQuality',
  'ProgrammaticOrderType',
  'SellTokenSource',
  'SigningScheme',
  'SlippageMode',
]

/** Members whose text is composed. */
const composed: Record<string, RegExp> = {
  programmatic_finished: /`programmatic_\$\{how\}`/,
  programmatic_cancelled: /`programmatic_\$\{how\}`/,
}

const enums = Object.values(schema.getTypeMap()).filter(
  (type): type is GraphQLEnumType => type instanceof GraphQLEnumType && !type.name.startsWith('__'),
)

test('each enum has producers, or comes from outside', () => {
  const known = [...Object.keys(producers), ...fromOutside]
  const lists = [...enums.map(({ name }) => name), 'ChannelEnd', 'RefusalCode']
  expect(known.sort()).toEqual(lists.sort())
})

const lists: Record<string, readonly string[]> = {
  ...Object.fromEntries(enums.map((type) => [type.name, type.getValues().map(({ value }) => String(value))])),
  ChannelEnd: channelEnds,
  RefusalCode: Object.keys(refusalCodes),
}

test.each(Object.entries(producers))('each member of %s is produced', (name, files) => {
  const text = sources.flatMap(({ file, text }) =>
    files.split(' ').some((beginning) => file.startsWith(beginning)) ? text : [],
  )
  const isMade = (member: string) => {
    const made = composed[member] ?? new RegExp(`'${member}'`)
    return text.some((source) => made.test(source))
  }
  expect(lists[name]?.filter((member) => !isMade(member))).toEqual([])
})
