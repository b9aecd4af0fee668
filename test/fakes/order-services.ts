import { SigningKey } from 'ethers'
import { maxUint256 } from '../../src/domain/amount.ts'
import { maxAppDataBytes, toAppDataInput } from '../../src/domain/app-data/document.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Cancellation, OrderCreation } from '../../src/domain/order/creation.ts'
import type { OrderUid } from '../../src/domain/order/order.ts'
import type { Quote } from '../../src/domain/quote/quote.ts'
import {
  cancellationsDigest,
  type EcdsaScheme,
  ethsignDigest,
  orderDigest,
} from '../../src/domain/signing/signing.ts'
import type { OrderServices } from '../../src/orders/check.ts'
import type { Database } from '../../src/storage/database/database.ts'
import { storeOrders } from '../../src/storage/order/insert.ts'
import { areTaken } from '../../src/storage/order/orders.ts'
import { sampleNetwork } from './network.ts'
import { dollar, sampleQuote, signingDomain, wrapped } from './order.ts'

/** The fixed time of these services, in Unix seconds. */
export const testTime = 1_800_000_000

interface Trader {
  address: Address
  sign(scheme: EcdsaScheme, digest: Hex): Hex
}

/** @param digits of its private key, repeated */
export function createTrader(digits: string, owner: string): Trader {
  const key = new SigningKey(`0x${digits.repeat(64 / digits.length)}`)
  return {
    address: address(owner),
    sign: (scheme, digest) =>
      key.sign(scheme === 'ethsign' ? ethsignDigest(digest) : digest).serialized as Hex,
  }
}

export const alice = createTrader('01', '0x1a642f0E3c3aF545E7AcBD38b07251B3990914F1')
export const bob = createTrader('02', '0x5050A4F4b3f9338C3472dcC01A87C76A144b3c9c')

/** A valid order with `overrides`, signed by `trader` after the changes. */
export function signedOrder(
  overrides: Partial<Omit<OrderCreation, 'appData'>> & { document?: string } = {},
  trader = alice,
): OrderCreation {
  const { document = '{}', ...rest } = overrides
  const creation: OrderCreation = {
    sellToken: wrapped,
    buyToken: dollar,
    receiver: null,
    sellAmount: 10n ** 18n,
    buyAmount: 2_900n * 10n ** 6n,
    validTo: testTime + 600,
    feeAmount: 0n,
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    appData: toAppDataInput(document),
    from: null,
    signingScheme: 'eip712',
    signature: '0x',
    quoteId: null,
    fullBalanceCheck: false,
    ...rest,
  }
  const { signingScheme: scheme } = creation
  if (rest.signature !== undefined || (scheme !== 'eip712' && scheme !== 'ethsign')) return creation
  const digest = orderDigest(signingDomain, { ...creation, appData: creation.appData.hash })
  return { ...creation, signature: trader.sign(scheme, digest) }
}

export function signedCancellation(
  orderUids: OrderUid[],
  trader = alice,
  signingScheme: EcdsaScheme = 'eip712',
): Cancellation {
  const signature = trader.sign(signingScheme, cancellationsDigest(signingDomain, orderUids))
  return { orderUids, signingScheme, signature }
}

export function quoteOf(overrides: Partial<Quote> = {}): Quote {
  return {
    ...sampleQuote({
      sellAmount: 10n ** 18n,
      buyAmount: 3_000n * 10n ** 6n,
      gasAmount: 100_000n,
      gasPrice: 7n,
    }),
    chainId: signingDomain.chainId,
    id: 42n,
    kind: 'sell',
    quoteKind: 'standard',
    sellToken: wrapped,
    buyToken: dollar,
    expiration: new Date(0),
    calls: null,
    ...overrides,
  }
}

export function createOrderServices(db: Database, overrides: Partial<OrderServices> = {}): OrderServices {
  return {
    network: sampleNetwork,
    db,
    now: () => testTime * 1_000 + 999,
    limits: {
      minValidity: 60,
      maxLimitValidity: 31_536_000,
      maxMarketValidity: 10_800,
      maxGas: 8_000_000n,
      signatureGas: 1_000_000n,
      maxOutOfMarket: Number.POSITIVE_INFINITY,
    },
    policy: { deniedAccounts: new Set(), deniedTokens: new Set(), sameToken: 'disallow' },
    appDataSources: { db, now: () => 1_800_000_000_000, maxBytes: maxAppDataBytes, gateway: null },
    distinctSignatureCodes: false,
    spendable: async () => ({ balance: maxUint256, allowance: maxUint256 }),
    isProgrammatic: async () => false,
    checkOrder: async () => ({
      balance: maxUint256,
      allowance: maxUint256,
      transfer: 'ok',
      signature: 'valid',
      signatureGas: 30_000n,
      ownerHasCode: true,
      exhausted: false,
    }),
    callHook: async () => undefined,
    quoteFor: async () => null,
    isTaken: async (uid) => (await areTaken(db, signingDomain.chainId, [uid]))[0] === true,
    onLogged: async () => undefined,
    nameTokens: () => {},
    store: async (order) => (await storeOrders(db, [order]))[0] as bigint | undefined,
    ...overrides,
  }
}
