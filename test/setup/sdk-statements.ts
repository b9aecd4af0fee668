import {
  type OrderBookApi,
  OrderBookApiError,
  OrderKind,
  OrderQuoteSideKindSell,
  OrderSigningUtils,
  SigningScheme,
  TradingSdk,
} from '@cowprotocol/cow-sdk'
import { Interface } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settlementAbi } from '../../src/chain/settlement/call.ts'
import type { TokenSymbol } from '../../src/dev/market/market.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { putWallet } from '../chain/contracts.ts'
import { numbered } from '../fakes/order.ts'
import { eventually } from './eventually.ts'
import { createSdk, send } from './sdk.ts'
import type { World } from './world.ts'

type Signing = Parameters<typeof OrderSigningUtils.signOrder>
type SwapSettings = NonNullable<Parameters<TradingSdk['postSwapOrder']>[1]>
type Cancellations = Parameters<OrderBookApi['sendSignedOrderCancellations']>[0]

/** Tests that the official SDK works unchanged at the URL of a world. */
export function sdkStatements(start: () => Promise<World>): void {
  const one = 10n ** 18n
  const wallet: Address = numbered('c0de')
  const presigned = BigInt(keccakText('GPv2Signing.Scheme.PreSign'))
  const contracts = new Interface([
    'function execute(address target, uint256 value, bytes callData) returns (bytes)',
    'function transfer(address, uint256) returns (bool)',
    'function approve(address, uint256) returns (bool)',
  ])

  let world: World
  let api: OrderBookApi
  let sdk: TradingSdk
  let owner: Address
  beforeAll(async () => {
    world = await start()
    const { network, accounts, tokens } = world.market
    owner = accounts[0]?.address ?? expect.fail()
    ;({ api, sdk } = createSdk(world))
    await putWallet(world.chain.rpc, wallet, owner)
    await send(world, tokens.WETH.address, contracts.encodeFunctionData('transfer', [wallet, 5n * one]))
    const approve = contracts.encodeFunctionData('approve', [network.vaultRelayer, maxUint256])
    await send(world, wallet, contracts.encodeFunctionData('execute', [tokens.WETH.address, 0n, approve]))
  })
  afterAll(() => world?.[Symbol.asyncDispose]())

  /** What the settlement contract has stored for an order. */
  async function onChain(method: 'filledAmount' | 'preSignature', uid: string): Promise<bigint> {
    const call = {
      to: world.market.network.settlement,
      data: settlementAbi.encodeFunctionData(method, [uid]),
    }
    return BigInt(await world.chain.rpc.call<Hex>('eth_call', [call, 'latest']))
  }

  const becomes = (uid: string, status: string) =>
    eventually(`${uid} is ${status}`, async () => {
      const order = await api.getOrder(uid)
      return order.status === status && order
    })

  function pair(sell: TokenSymbol, buy: TokenSymbol) {
    const { tokens } = world.market
    return {
      sellToken: tokens[sell].address,
      sellTokenDecimals: tokens[sell].decimals,
      buyToken: tokens[buy].address,
      buyTokenDecimals: tokens[buy].decimals,
    }
  }
  /** Sells WETH for a dollar each, which every solver can fill. */
  const cheap = () => ({
    kind: OrderKind.SELL,
    ...pair('WETH', 'USDC'),
    sellAmount: `${one}`,
    buyAmount: '1000000',
  })
  /** Sells COW at a price that no solver can fill. */
  const dear = () => ({
    kind: OrderKind.SELL,
    ...pair('COW', 'USDC'),
    sellAmount: `${one}`,
    buyAmount: `${10n ** 12n}`,
  })

  /** The wallet’s owner signs the order’s digest without a prefix. */
  const byWallet: NonNullable<SwapSettings['additionalParams']> = {
    signingScheme: SigningScheme.EIP1271,
    customEIP1271Signature: async (order, signer) =>
      (await OrderSigningUtils.signOrder(order, world.market.network.chainId, signer)).signature,
  }
  /** The library takes the adapter's where there is none. */
  const signer = () => sdk.traderParams.signer as Signing[2]

  describe('OrderBookApi', () => {
    let uid: string
    let txHash: string

    test('getVersion', async () => {
      expect(await api.getVersion()).toBe('test')
    })

    test('getQuote, sendOrder', async () => {
      const { sellToken, buyToken } = pair('WETH', 'USDC')
      const { quote, id, expiration } = await api.getQuote({
        kind: OrderQuoteSideKindSell.SELL,
        sellAmountBeforeFee: `${one}`,
        sellToken,
        buyToken,
        from: owner,
        appData: '{"appCode":"direct"}',
        appDataHash: keccakText('{"appCode":"direct"}'),
      })
      expect(id).toBeGreaterThan(0)
      expect(Date.parse(expiration)).toBeGreaterThan(Date.now() - 1_000)
      expect(BigInt(quote.sellAmount) + BigInt(quote.feeAmount)).toBe(one)
      const order = {
        ...quote,
        receiver: owner,
        sellAmount: `${one}`,
        feeAmount: '0',
        buyAmount: `${(BigInt(quote.buyAmount) * 99n) / 100n}`,
        appData: keccakText('{"appCode":"direct"}'),
      }
      const { chainId } = world.market.network
      const signed = await OrderSigningUtils.signOrder(order as Signing[0], chainId, signer())
      uid = await api.sendOrder({
        ...order,
        ...signed,
        from: owner,
        quoteId: id,
        appData: '{"appCode":"direct"}',
      } as Parameters<OrderBookApi['sendOrder']>[0])
      expect(uid).toMatch(/^0x[0-9a-f]{112}$/)
      expect(address(`0x${uid.slice(66, 106)}`)).toBe(owner)
    })

    test('getOrder, getOrderMultiEnv, getOrderLink, getOrders', async () => {
      // A service that follows an order book learns the fee from it after the fill.
      const order = await eventually('its fee is known', async () => {
        const order = await becomes(uid, 'fulfilled')
        return order.executedFee !== '0' && order
      })
      expect(order).toMatchObject({ uid, owner, sellAmount: `${one}`, executedSellAmount: `${one}` })
      expect(await onChain('filledAmount', uid)).toBe(BigInt(order.executedSellAmount))
      expect(await api.getOrderMultiEnv(uid)).toEqual(order)
      expect(await (await fetch(api.getOrderLink(uid))).json()).toMatchObject({ uid })
      const { quote, ...listed } = order
      expect(quote).toMatchObject({ sellAmount: `${one}` })
      expect(await api.getOrders({ owner })).toEqual([listed])
      expect(await api.getOrders({ owner, offset: 1 })).toEqual([])
      const unknown = await api.getOrder(`${uid.slice(0, -8)}00000001`).catch((error: unknown) => error)
      expect(unknown).toBeInstanceOf(OrderBookApiError)
      expect(unknown).toMatchObject({ response: { status: 404 }, body: { errorType: 'NotFound' } })
    })

    test('getTrades, getTxOrders, getOrderCompetitionStatus', async () => {
      const trades = await api.getTrades({ orderUid: uid })
      expect(trades).toMatchObject([{ orderUid: uid, owner, sellAmount: `${one}` }])
      expect(await api.getTrades({ owner })).toEqual(trades)
      txHash = trades[0]?.txHash ?? expect.fail()
      expect((await api.getTxOrders(txHash)).map((order) => order.uid)).toEqual([uid])
      const status = await eventually('the status is that of the trade', async () => {
        const status = await api.getOrderCompetitionStatus(uid)
        return status.type === 'traded' && status
      })
      expect(status).toMatchObject({
        type: 'traded',
        value: [{ executedAmounts: { sell: `${one}`, buy: trades[0]?.buyAmount } }],
      })
    })

    test('getSolverCompetition by number and by transaction', async () => {
      const competition = await eventually('the settlement has its competition', () =>
        api.getSolverCompetition(txHash).catch(() => undefined),
      )
      expect(competition).toMatchObject({ transactionHashes: [txHash] })
      expect(competition.solutions?.[0]).toMatchObject({ isWinner: true, ranking: 1, orders: [{ id: uid }] })
      expect(await api.getSolverCompetition(competition.auctionId ?? 0)).toEqual(competition)
    })

    test('getTotalSurplus, getNativePrice', async () => {
      await eventually(
        'the account has a surplus',
        async () => BigInt((await api.getTotalSurplus(owner)).totalSurplus ?? 0) > 0n,
      )
      const { WETH, USDC } = world.market.tokens
      expect(await api.getNativePrice(WETH.address)).toEqual({ price: 1 })
      const { price = 0 } = await api.getNativePrice(USDC.address)
      // A dollar has 6 decimals and is about a three-thousandth of a coin with 18.
      expect(price / 10 ** 12).toBeCloseTo(1 / 3000, 5)
    })

    test('uploadAppData, getAppData', async () => {
      const fullAppData = '{"appCode":"uploaded","metadata":{},"version":"1.0.0"}'
      const hash = keccakText(fullAppData)
      const unknown = await api.getAppData(hash).catch((error: unknown) => error)
      expect(unknown).toMatchObject({ response: { status: 404 } })
      for (const _ of ['new', 'known already']) await api.uploadAppData(hash, fullAppData)
      expect(await api.getAppData(hash)).toEqual({ fullAppData })
    })

    test('sendSignedOrderCancellations', async () => {
      const { orderId } = await sdk.postLimitOrder(dear())
      const { chainId } = world.market.network
      const signed = await OrderSigningUtils.signOrderCancellations([orderId], chainId, signer())
      await api.sendSignedOrderCancellations({ ...signed, orderUids: [orderId] } as Cancellations)
      expect((await api.getOrder(orderId)).status).toBe('cancelled')
    })
  })

  describe('TradingSdk', () => {
    test.each([OrderKind.SELL, OrderKind.BUY])('swaps: %s', async (kind) => {
      const amount = kind === OrderKind.SELL ? `${one}` : '1000000000'
      const { orderId } = await sdk.postSwapOrder({ kind, amount, slippageBps: 50, ...pair('WETH', 'USDC') })
      const order = await becomes(orderId, 'fulfilled')
      const filled = kind === OrderKind.SELL ? order.executedSellAmount : order.executedBuyAmount
      expect(filled).toBe(amount)
      expect(await onChain('filledAmount', orderId)).toBe(BigInt(amount))
    })

    test('places limit orders', async () => {
      const { orderId } = await sdk.postLimitOrder(cheap())
      const order = await becomes(orderId, 'fulfilled')
      expect(BigInt(order.executedBuyAmount)).toBeGreaterThan(1_000_000n)
    })

    test('cancels on chain', async () => {
      const { orderId } = await sdk.postLimitOrder(dear())
      expect((await api.getOrder(orderId)).status).toBe('open')
      await sdk.onChainCancelOrder({ orderUid: orderId })
      expect(await becomes(orderId, 'cancelled')).toMatchObject({ invalidated: true })
      expect(await onChain('filledAmount', orderId)).toBe(maxUint256)
    })

    test('swaps and places limit orders for a contract wallet', async () => {
      const swap = await sdk.postSwapOrder(
        { kind: OrderKind.SELL, amount: `${one}`, slippageBps: 50, owner: wallet, ...pair('WETH', 'USDC') },
        {
          quoteRequest: { signingScheme: SigningScheme.EIP1271, from: wallet },
          additionalParams: byWallet,
        },
      )
      const limit = await sdk.postLimitOrder({ ...cheap(), owner: wallet }, { additionalParams: byWallet })
      for (const { orderId, signature } of [swap, limit]) {
        const order = await becomes(orderId, 'fulfilled')
        expect(order).toMatchObject({ owner: wallet, signingScheme: 'eip1271', signature })
        expect(await onChain('filledAmount', orderId)).toBe(one)
      }
    })

    test('gets InvalidEip1271Signature for a signature that the wallet refuses', async () => {
      const refused = await sdk
        .postLimitOrder(
          { ...cheap(), owner: wallet },
          {
            additionalParams: {
              ...byWallet,
              customEIP1271Signature: async () => `0x${'11'.repeat(65)}`,
            },
          },
        )
        .catch((error: unknown) => error)
      expect(refused).toMatchObject({
        response: { status: 400 },
        body: { errorType: 'InvalidEip1271Signature' },
      })
    })
  })

  describe('an order that is signed on chain', () => {
    const presign = { additionalParams: { signingScheme: SigningScheme.PRESIGN } }

    test("waits until the library's transaction is mined, then trades", async () => {
      const { orderId } = await sdk.postLimitOrder({ ...cheap(), sellAmount: `${2n * one}` }, presign)
      expect((await api.getOrder(orderId)).status).toBe('presignaturePending')
      expect(await onChain('preSignature', orderId)).toBe(0n)
      const { to, data } = await sdk.getPreSignTransaction({ orderUid: orderId })
      await send(world, to, data)
      expect(await onChain('preSignature', orderId)).toBe(presigned)
      await becomes(orderId, 'fulfilled')
      expect(await onChain('filledAmount', orderId)).toBe(2n * one)
    })

    test('follows the contract: revoked, and signed again', async () => {
      const { orderId } = await sdk.postLimitOrder(dear(), presign)
      const setPreSignature = async (signed: boolean) => {
        const data = settlementAbi.encodeFunctionData('setPreSignature', [orderId, signed])
        await send(world, world.market.network.settlement, data)
        expect(await onChain('preSignature', orderId)).toBe(signed ? presigned : 0n)
        await becomes(orderId, signed ? 'open' : 'presignaturePending')
      }
      for (const signed of [true, false, true]) await setPreSignature(signed)
    })

    test.each([true, false])("has the contract's signature as of its submission: %s", async (signed) => {
      const { chainId, settlement } = world.market.network
      // The library is stopped before it posts, so that the UID is known before the order exists.
      let kept: Parameters<OrderBookApi['sendOrder']>[0] | undefined
      const holding = Object.assign(Object.create(api), {
        sendOrder: async (body: typeof kept) => {
          kept = body
          return '0x'
        },
      })
      const slow = new TradingSdk(
        { ...sdk.traderParams, chainId, appCode: 'early' },
        { orderBookApi: holding },
      )
      const buyAmount = signed ? '900000000000' : '910000000000'
      const { orderToSign } = await slow.postLimitOrder({ ...dear(), buyAmount }, presign)
      const { orderId } = await OrderSigningUtils.generateOrderId(
        chainId,
        orderToSign as unknown as Parameters<typeof OrderSigningUtils.generateOrderId>[1],
        { owner },
      )
      for (const each of signed ? [true] : [true, false]) {
        await send(world, settlement, settlementAbi.encodeFunctionData('setPreSignature', [orderId, each]))
      }
      expect(await onChain('preSignature', orderId)).toBe(signed ? presigned : 0n)
      expect(await api.sendOrder(kept ?? expect.fail())).toBe(orderId)
      await becomes(orderId, signed ? 'open' : 'presignaturePending')
    })
  })
}
