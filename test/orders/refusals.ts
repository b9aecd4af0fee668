import { maxUint256 } from '../../src/domain/amount.ts'
import { toAppDataInput } from '../../src/domain/app-data/document.ts'
import { Outage } from '../../src/domain/errors/error.ts'
import type { RefusalCode } from '../../src/domain/errors/refusal-codes.ts'
import { nativeMarker } from '../../src/domain/evm/address.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import type { Cancellation, OrderCreation } from '../../src/domain/order/creation.ts'
import type { Order, OrderUid } from '../../src/domain/order/order.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import { placeOrder } from '../../src/orders/place.ts'
import { storeAppData } from '../../src/storage/app-data.ts'
import { type Database, sql } from '../../src/storage/database/database.ts'
import { storeCompetition } from '../fakes/competition.ts'
import { dollar, numbered, wrapped } from '../fakes/order.ts'
import { alice, bob, quoteOf, signedCancellation, signedOrder, testTime } from '../fakes/order-services.ts'
import { storeOrder } from '../fakes/stored-order.ts'

/** What a request runs against: a row may change the services behind the interfaces. */
export interface Stage {
  db: Database
  services: OrderServices
}

interface Call {
  method: string
  /** Below the network's segment, except for `/graphql`. */
  path: string
  body: unknown
}

/** A request that is answered with a code, and the state that it needs. */
interface RefusalRow {
  code: RefusalCode
  status: number
  /** The fault, in a few words. */
  because: string
  request(stage: Stage): Call | Promise<Call>
}

type OrderChange = Parameters<typeof signedOrder>[0]

const unknownUid: OrderUid = `0x${'99'.repeat(56)}` as const
const poor = { balance: 10n ** 18n - 1n, allowance: 10n ** 18n - 1n }

/** An order in a client's request. */
function orderBody(creation: OrderCreation): Record<string, unknown> {
  const { appData, quoteId, sellAmount, buyAmount, feeAmount, ...rest } = creation
  const amounts = { sellAmount: `${sellAmount}`, buyAmount: `${buyAmount}`, feeAmount: `${feeAmount}` }
  return { ...rest, ...amounts, appData: appData.appData, ...(quoteId && { quoteId: Number(quoteId) }) }
}

export function placing(creation: OrderCreation, more: Record<string, unknown> = {}): Call {
  return { method: 'POST', path: '/api/v1/orders', body: { ...orderBody(creation), ...more } }
}

export function cancelling(cancellation: Cancellation): Call {
  return { method: 'DELETE', path: '/api/v1/orders', body: cancellation }
}

function order(
  code: RefusalCode,
  because: string,
  change: OrderChange,
  services: Partial<OrderServices> = {},
): RefusalRow {
  return {
    code,
    status: 400,
    because,
    request(stage) {
      Object.assign(stage.services, services)
      return placing(signedOrder(change))
    },
  }
}

/** An order whose members are changed after it was signed. */
function malformed(code: RefusalCode, because: string, change: Record<string, unknown>): RefusalRow {
  return { code, status: 400, because, request: () => placing(signedOrder(), change) }
}

function document(because: string, text: string): RefusalRow {
  return order('InvalidAppData', because, { document: text })
}

function metadata(value: Record<string, unknown>): string {
  return JSON.stringify({ metadata: value })
}

/** A stored order of Alice, and a request about it. */
function about(
  code: RefusalCode,
  status: number,
  because: string,
  state: Partial<Order>,
  ask: (uid: OrderUid) => Call,
  after: (order: Order, stage: Stage) => unknown = () => {},
): RefusalRow {
  return {
    code,
    status,
    because,
    async request(stage) {
      const open = { owner: alice.address, validTo: testTime + 600, effectiveValidTo: testTime + 600 }
      const stored = await storeOrder(stage.db, { ...open, ...state })
      await after(stored, stage)
      return ask(stored.uid)
    },
  }
}

const cancelled =
  (by = alice) =>
  (uid: OrderUid) =>
    cancelling(signedCancellation([uid], by))
const replaced =
  (change: OrderChange = {}) =>
  (uid: OrderUid) =>
    placing(signedOrder({ document: metadata({ replacedOrder: { uid } }), ...change }))

const cancelledAlready = ({ id }: Order, { db }: Stage) =>
  sql(db).order.update({ where: { id }, data: { cancelledAt: new Date(0) } })
const executedAlready = ({ id }: Order, { db }: Stage) =>
  sql(db).order.update({ where: { id }, data: { executedSell: `${10n ** 18n}` } })
const bidOn = (stored: Order, { db }: Stage) =>
  storeCompetition(db, {
    id: 5n,
    solver: numbered('50'),
    fills: [{ order: stored, fill: { sell: 10n ** 18n, buy: 3_000n * 10n ** 6n } }],
  })

function byPolicy(uids: OrderUid[]): Call {
  const query = `mutation ($input: CancelOrdersByPolicyInput!) {
    cancelOrdersByPolicy(input: $input) { orders { uid } }
  }`
  return { method: 'POST', path: '/graphql', body: { query, variables: { input: { orderUids: uids } } } }
}

function upload(hash: string, fullAppData: string): Call {
  return { method: 'PUT', path: `/api/v1/app_data/${hash}`, body: { fullAppData } }
}

const { signature } = signedOrder()

/** Every code that a request about orders, cancellations or app data can be answered with. */
export const refusals: RefusalRow[] = [
  malformed('InvalidParameter', 'a member is missing', { kind: undefined }),
  malformed('InvalidParameter', 'an enum value is unknown', { signingScheme: 'eip1559' }),
  malformed('InvalidParameter', 'an amount in hex', { sellAmount: '0x1' }),
  malformed('InvalidParameter', 'a signature without 0x', { signature: signature.slice(2) }),
  malformed('InvalidSignature', 'a short signature', { signature: signature.slice(0, -4) }),
  malformed('InvalidParameter', 'a hash that is none', { appDataHash: '0x12' }),
  malformed('SellAmountOverflow', 'sells more than uint256', { sellAmount: `${maxUint256 + 1n}` }),
  malformed('BuyAmountOverflow', 'buys more than uint256', { buyAmount: `${maxUint256 + 1n}` }),
  malformed('AppDataHashMismatch', 'another document', { appDataHash: keccakText('{ }') }),
  order('SellAmountOverflow', 'with the fee', { sellAmount: maxUint256, feeAmount: 1n }),

  document('no JSON', '{'),
  document('a list', '[]'),
  document('too large', metadata({ pad: 'x'.repeat(8_192) })),
  document('a hook without a target', metadata({ hooks: { pre: [{ callData: '0x', gasLimit: '1' }] } })),
  document('a fast path', metadata({ enableFastPath: true })),
  {
    code: 'InvalidAppData',
    status: 400,
    because: 'an unknown hash',
    request: () => placing({ ...signedOrder(), appData: toAppDataInput(keccakText('unknown')) }),
  },

  order('InvalidSignature', 'of another owner', { from: bob.address }),
  order('InvalidSignature', 'that recovers to no signer', { signature: `0x${'00'.repeat(64)}1b` }),
  order(
    'InvalidEip1271Signature',
    'that the wallet does not accept',
    { signingScheme: 'eip1271', signature, from: bob.address },
    {
      checkOrder: async () => ({
        balance: maxUint256,
        allowance: maxUint256,
        transfer: 'ok',
        signature: 'invalid',
        signatureGas: 3_000n,
        ownerHasCode: true,
        exhausted: false,
      }),
    },
  ),
  order('AppdataFromMismatch', 'recovered', { document: metadata({ signer: bob.address }) }),
  order('AppdataFromMismatch', 'declared', {
    document: metadata({ signer: bob.address }),
    signingScheme: 'presign',
    from: alice.address,
  }),
  order('MissingFrom', 'presign', { signingScheme: 'presign' }),
  order('MissingFrom', 'eip1271', { signingScheme: 'eip1271', signature: '0x12' }),

  order('ZeroAmount', 'sells nothing', { sellAmount: 0n }),
  order('ZeroAmount', 'buys nothing', { buyAmount: 0n }),
  { ...order('Forbidden', 'the owner', {}), ...denied('deniedAccounts', alice.address, {}), status: 403 },
  {
    ...order('Forbidden', 'the receiver', {}),
    ...denied('deniedAccounts', bob.address, { receiver: bob.address }),
    status: 403,
  },
  order('UnsupportedOrderType', 'a fee on parts', { feeAmount: 1n, partiallyFillable: true }),
  order('UnsupportedOrderType', 'wrappers', {
    document: metadata({ wrappers: [{ address: bob.address, data: '0x' }] }),
  }),
  order('UnsupportedBuyTokenDestination', 'internal', { buyTokenBalance: 'internal' }),
  order('UnsupportedSellTokenSource', 'internal', { sellTokenBalance: 'internal' }),
  order('UnsupportedSellTokenSource', 'external', { sellTokenBalance: 'external' }),
  order('OrderExpired', 'a second ago', { validTo: testTime - 1 }),
  order('InsufficientValidTo', 'now', { validTo: testTime }),
  order('InsufficientValidTo', 'a second too soon', { validTo: testTime + 59 }),
  order('ExcessiveValidTo', 'a limit order', { validTo: testTime + 31_536_001 }),
  order('ExcessiveValidTo', 'with a fee', { validTo: testTime + 10_801, feeAmount: 1n }),
  order('SameBuyAndSellToken', 'the same', { buyToken: wrapped }),
  order('SameBuyAndSellToken', 'unwrapping', { buyToken: nativeMarker }),
  order('InvalidNativeSellToken', 'the coin itself', { sellToken: nativeMarker }),
  { ...order('UnsupportedToken', 'what is sold', {}), ...denied('deniedTokens', wrapped, {}) },
  { ...order('UnsupportedToken', 'what is bought', {}), ...denied('deniedTokens', dollar, {}) },

  {
    code: 'DuplicatedOrder',
    status: 400,
    because: 'a second time',
    async request({ services }) {
      await placeOrder(signedOrder(), services)
      return placing(signedOrder())
    },
  },
  order('InsufficientBalance', 'an atom short', {}, { spendable: async () => poor }),
  order(
    'InsufficientAllowance',
    'an atom short',
    {},
    {
      spendable: async () => ({ ...poor, balance: 10n ** 18n }),
    },
  ),
  order(
    'TransferSimulationFailed',
    'the token refuses',
    {
      document: metadata({ hooks: { pre: [{ target: bob.address, callData: '0x', gasLimit: '9' }] } }),
    },
    {
      checkOrder: async () => ({
        balance: maxUint256,
        allowance: maxUint256,
        transfer: { revert: '0x12' },
        signature: 'unasked',
        signatureGas: 0n,
        ownerHasCode: false,
        exhausted: false,
      }),
    },
  ),
  order('NonZeroFee', 'an atom', { feeAmount: 1n }),
  {
    code: 'TooManyLimitOrders',
    status: 400,
    because: 'one more',
    async request({ db, services }) {
      services.limits.maxOutOfMarket = 1
      await storeOrder(db, { owner: alice.address, effectiveValidTo: testTime })
      return placing(signedOrder())
    },
  },
  order('TooMuchGas', 'by the quote', {}, { quoteFor: async () => quoteOf({ gasAmount: 8_000_001n }) }),
  order('TooMuchGas', 'by its hooks', {
    document: metadata({ hooks: { post: [{ target: bob.address, callData: '0x', gasLimit: '8000001' }] } }),
  }),
  order('InvalidValidFrom', 'a second too late', { document: metadata({ validFrom: testTime + 541 }) }),
  {
    ...order(
      'Unavailable',
      'the node is unavailable',
      {},
      { spendable: async () => Promise.reject(new Outage('the node')) },
    ),
    status: 503,
  },
  {
    code: 'Unavailable',
    status: 503,
    because: 'the gateway is unavailable',
    request({ services }) {
      services.appDataSources.gateway = { find: () => Promise.reject(new Outage('the gateway')) }
      return placing({ ...signedOrder(), appData: toAppDataInput(keccakText('unknown')) })
    },
  },

  { code: 'OrderNotFound', status: 404, because: 'to be replaced', request: () => replaced()(unknownUid) },
  about('AlreadyCancelled', 400, 'to be replaced', {}, replaced(), cancelledAlready),
  about('OrderFullyExecuted', 400, 'to be replaced', {}, replaced(), executedAlready),
  about('OrderExpired', 400, 'to be replaced', { effectiveValidTo: testTime - 1 }, replaced()),
  about('OnChainOrder', 400, 'to be replaced', { signingScheme: 'presign' }, replaced()),
  about(
    'InvalidSignature',
    400,
    'a presign order replaces',
    {},
    replaced({ signingScheme: 'presign', from: alice.address }),
  ),
  about('WrongOwner', 401, 'to be replaced', { owner: bob.address }, replaced()),
  about('OldOrderActivelyBidOn', 400, 'to be replaced', {}, replaced(), bidOn),

  {
    code: 'InvalidParameter',
    status: 400,
    because: 'too many',
    request: () => cancelling({ ...signedCancellation([]), orderUids: Array(129).fill(unknownUid) }),
  },
  { code: 'OrderNotFound', status: 404, because: 'to be cancelled', request: () => cancelled()(unknownUid) },
  about('AlreadyCancelled', 400, 'to be cancelled', {}, cancelled(), cancelledAlready),
  about('OrderFullyExecuted', 400, 'to be cancelled', {}, cancelled(), executedAlready),
  about('OrderExpired', 400, 'to be cancelled', { effectiveValidTo: testTime - 1 }, cancelled()),
  about('OnChainOrder', 400, 'to be cancelled', { signingScheme: 'presign' }, cancelled()),
  about('WrongOwner', 401, 'to be cancelled', {}, cancelled(bob)),
  about('InvalidSignature', 400, 'that recovers to no signer', {}, (uid) =>
    cancelling({ ...signedCancellation([uid]), signature: `0x${'00'.repeat(64)}1b` }),
  ),
  about('Unauthorized', 401, 'by policy without a key', {}, (uid) => byPolicy([uid])),

  { code: 'AppDataInvalid', status: 400, because: 'no JSON', request: () => upload(keccakText('{'), '{') },
  {
    code: 'AppDataHashMismatch',
    status: 400,
    because: 'an upload',
    request: () => upload(keccakText('{ }'), '{}'),
  },
  {
    code: 'AppDataMismatch',
    status: 400,
    because: 'another document has the hash',
    async request({ db }) {
      await storeAppData(db, keccakText('{}'), '{ }')
      return upload(keccakText('{}'), '{}')
    },
  },
]

function denied(
  list: 'deniedAccounts' | 'deniedTokens',
  address: `0x${string}`,
  change: OrderChange,
): Pick<RefusalRow, 'request'> {
  return {
    request({ services }) {
      services.policy = { ...services.policy, [list]: new Set([address]) }
      return placing(signedOrder(change))
    },
  }
}
