import { setTimeout as pause } from 'node:timers/promises'
import { TypedDataEncoder, type Wallet } from 'ethers'
import type { Market } from '../../../src/dev/market/market.ts'
import { keccakText } from '../../../src/domain/evm/keccak.ts'
import { orderTypes } from '../../../src/domain/signing/signing.ts'
import { type Answer, graphql, request } from '../../setup/trader.ts'
import type { ActiveCrowd } from './crowd.ts'
import { buyTokenOf, type Wish } from './wishes.ts'

export interface Placed {
  uid: string
  wish: Wish
  owner: string
  receiver: string
  sellToken: string
  buyToken: string
  sellAmount: bigint
  buyAmount: bigint
  validTo: number
  /** The service has confirmed that it is cancelled. */
  isCancelled: boolean
}

interface Standing {
  reason: string | null
  isInAuctions: boolean
  marketGap: string | null
  feeShare: string | null
  missing: string | null
}

/** The service as clients use it: they repeat a request until there is an answer. */
export function createService(url: string, market: Market, crowd: ActiveCrowd) {
  const base = `${url}/${market.network.name}/api/v1`
  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: market.network.chainId,
    verifyingContract: market.network.settlement,
  }

  /** Repeated until the service answers: it may be away. */
  async function answer(path: string, method = 'GET', body?: unknown): Promise<Answer> {
    for (let attempt = 0; attempt < 300; attempt++) {
      const got = await request(`${base}${path}`, method, body).catch(() => undefined)
      if (got && got.status < 500) return got
      await pause(500)
    }
    throw new Error(`${method} ${path} is not answered`)
  }

  function documentOf({ hooks }: Wish): string {
    const calls = (targets: readonly string[]) =>
      targets.map((target) => ({ target, callData: '0x', gasLimit: '60000' }))
    return JSON.stringify(
      hooks ? { metadata: { hooks: { pre: calls(hooks.pre), post: calls(hooks.post) } } } : {},
    )
  }

  /** @returns undefined when the service refuses it */
  async function place(wish: Wish, now: number): Promise<Placed | { refused: string }> {
    const signer = crowd.traders[wish.trader] as Wallet
    const owner = wish.owner ?? signer.address
    const document = documentOf(wish)
    const order = {
      sellToken: market.tokens[wish.sell].address,
      buyToken: buyTokenOf(wish.buy, market.tokens),
      receiver: wish.buy === 'native' ? crowd.aside : owner,
      sellAmount: `${wish.sellAmount}`,
      buyAmount: `${wish.buyAmount}`,
      validTo: now + wish.validFor,
      appData: keccakText(document),
      feeAmount: '0',
      kind: wish.kind,
      partiallyFillable: wish.partiallyFillable,
      sellTokenBalance: 'erc20',
      buyTokenBalance: 'erc20',
    }
    const signature =
      wish.scheme === 'presign' ? owner : await signer.signTypedData(domain, orderTypes, order)
    const creation = { ...order, appData: document, appDataHash: order.appData, from: owner }
    const { status, body } = await answer('/orders', 'POST', {
      ...creation,
      signature,
      signingScheme: wish.scheme,
    })
    if (status !== 201 && body.errorType !== 'DuplicatedOrder') return { refused: body.errorType }
    const digest = TypedDataEncoder.hash(domain, orderTypes, order)
    const uid = `${digest}${owner.slice(2)}${order.validTo.toString(16).padStart(8, '0')}`.toLowerCase()
    const { sellToken, buyToken, receiver, validTo } = order
    const amounts = { sellAmount: wish.sellAmount, buyAmount: wish.buyAmount }
    return { uid, wish, owner, receiver, sellToken, buyToken, validTo, ...amounts, isCancelled: false }
  }

  return {
    place,
    async cancel(order: Placed): Promise<void> {
      const signer = crowd.traders[order.wish.trader] as Wallet
      const types = { OrderCancellations: [{ name: 'orderUids', type: 'bytes[]' }] }
      const orderUids = [order.uid]
      const signature = await signer.signTypedData(domain, types, { orderUids })
      const body = { orderUids, signature, signingScheme: 'eip712' }
      const got = await answer('/orders', 'DELETE', body)
      if (got.status === 200 || got.body.errorType === 'AlreadyCancelled') order.isCancelled = true
    },
    order: async (uid: string) => (await answer(`/orders/${uid}`)).body,
    trades: async (uid: string) => (await answer(`/trades?orderUid=${uid}`)).body,
    report: async (uid: string) => (await answer(`/debug/order/${uid}`)).body,
    async standing(uid: string): Promise<Standing | null> {
      const fields = 'reason isInAuctions marketGap feeShare missing'
      const query = `{ order(uid: "${uid}") { standing { ${fields} } } }`
      return (await graphql(url, query)).order.standing
    },
  }
}

export type Service = ReturnType<typeof createService>
