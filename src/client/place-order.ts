import { attempt } from './back-off.ts'
import type { Client, RequestOptions } from './client.ts'
import { checkSettlement } from './contracts.ts'
import { type AnsweredQuote, acceptedSlippage, type QuotedAmounts, unmetDemands } from './demand.ts'
import {
  NetworksDocument,
  OrderDocument,
  type OrderResult,
  PlaceOrderDocument,
  type PlaceOrderInput,
  type QuoteInput,
} from './documents.generated.ts'
import { TradegraphError } from './error.ts'
import type { InForm, Input, ScalarForm } from './scalars.ts'
import { addressOf, type Signer, signTypedData } from './signer.ts'
import {
  appDataHash,
  domainOf,
  type OrderToSign,
  orderTypedData,
  orderUid,
  type SigningDomain,
  signedForm,
} from './typed-data.ts'

export interface OrderPlacement extends RequestOptions {
  signer: Signer
  order: OrderToSign
  /** The quote that the order was made from: spread the result of `Quote` to pass all of it. */
  quoteId?: number | null
  quote?: { appData?: string } & Partial<Pick<QuotedAmounts, 'sellAmount' | 'buyAmount' | 'feeAmount'>>
  protocolFeeBps?: string | null
  slippage?: { bps: number } | null
  priceImpact?: { share: string; needsAcceptance: boolean } | null
  /** The app data document. That of the quote is used without it, or the hash alone if there is none. */
  appData?: string
  /** The account, where the signer has several. The owner of the order. */
  from?: string
  /** The network by name or chain id. Needed without the typed data of a quote, where there are several. */
  network?: string
  /**
   * The input of the quote. The order must be the demanded one: tokens, receiver, fixed amount, app data and
   * validity, with a limit of at least the quote less the slippage. Only the price is the service's.
   */
  input?: Input<QuoteInput>
  /**
   * The accepted slippage in basis points: the limit may be that much worse than the quote. If left out, it
   * is 50, or that of the quote with `slippage: AUTO`, up to 1,000.
   */
  slippageBps?: number
  /**
   * The settlement contract of a network that has one of its own. Without it, the signature is for one of the
   * known contracts only, whatever the service says.
   */
  settlementContract?: string
  /**
   * True if the trader accepts what the quote gives less than the market price. Without it, a quote whose
   * `priceImpact` needs acceptance is not signed.
   */
  acceptImpact?: boolean
  /** The chain that the order is for: a quote for another chain is refused. */
  chainId?: number
  /** `EIP1271` for the signature of a smart account. */
  signingScheme?: 'EIP712' | 'EIP1271'
}

/** The fields of an order that every function of this package returns. */
export type PlacedOrder<Form extends ScalarForm = 'wire'> = InForm<Form, NonNullable<OrderResult['order']>>

/**
 * Signs and places an order. Without `input`, whatever the quote holds is signed: pass it if the service is
 * not your own. The UID is known before the order is sent: if the answer is lost, the order is looked up, and
 * sent again only if it is not there. To place a placed order again returns it.
 * @throws TradegraphError if the service refuses, or if the order is not the demanded one; the wallet’s own
 *   error if it does not sign
 */
export async function placeOrder<Form extends ScalarForm>(
  client: Client<Form>,
  placement: OrderPlacement,
): Promise<PlacedOrder<Form>> {
  const { signer, signal, signingScheme = 'EIP712', network, quoteId } = placement
  const owner = await addressOf(signer, placement.from)
  const order = signedForm(placement.order, owner)
  const domain = await domainFor(client, placement)
  const document = placement.appData ?? placement.quote?.appData ?? order.appData
  if (document !== order.appData && appDataHash(document) !== order.appData)
    throw new TradegraphError('AppDataHashMismatch', 'the document is not the one that the order names', {
      field: 'appData',
    })
  checkSettlement(domain.verifyingContract, placement.settlementContract)
  checkImpact(placement)
  checkDemand(placement, { order, domain, document, owner })
  const uid = orderUid(domain, order, owner)
  const signature = await signTypedData(signer, orderTypedData(domain, order), owner)
  const input: PlaceOrderInput = {
    ...order,
    kind: placement.order.kind,
    sellTokenBalance: placement.order.sellTokenBalance ?? 'ERC20',
    buyTokenBalance: placement.order.buyTokenBalance ?? 'ERC20',
    appData: document,
    from: owner,
    quoteId: quoteId ?? null,
    network: network ?? String(domain.chainId),
    signature,
    signingScheme,
  }
  const options = signal && { signal }

  async function stored(): Promise<PlacedOrder<Form> | undefined> {
    const found = (await client.query(OrderDocument, { uid }, options)) as { order: PlacedOrder<Form> | null }
    return found.order ?? undefined
  }
  async function send(): Promise<PlacedOrder<Form>> {
    const placed = await client.mutate(
      PlaceOrderDocument,
      { input: input as Input<PlaceOrderInput> },
      options,
    )
    const { order } = (placed as { placeOrder: { order: PlacedOrder<Form> & { uid: string } } }).placeOrder
    if (order.uid === uid) return order
    throw new TradegraphError('InternalServerError', 'the service answers with another order', {
      data: { uid },
    })
  }
  return attempt(send, signal, { code: 'DuplicatedOrder', find: stored })
}

/** @throws TradegraphError if the trader has to accept the price */
function checkImpact({ priceImpact, acceptImpact = false }: OrderPlacement): void {
  if (!priceImpact?.needsAcceptance || acceptImpact) return
  const percent = Math.round(Number(priceImpact.share) * 10_000) / 100
  throw new TradegraphError(
    'InvalidParameter',
    `the quote gives ${percent} % less than the market price: acceptImpact is needed to sign it`,
    { field: 'acceptImpact' },
  )
}

/** Compares what is signed with what the caller demanded. @throws TradegraphError */
function checkDemand(
  placement: OrderPlacement,
  found: Omit<AnsweredQuote, 'quoted'> & { domain: SigningDomain },
): void {
  const { input, chainId, network } = placement
  const { chainId: claimed } = found.domain
  const isOther = network !== undefined && /^\d+$/.test(network) && Number(network) !== claimed
  const wrong: string[] = isOther || (chainId !== undefined && claimed !== chainId) ? ['chainId'] : []
  if (BigInt(found.order.feeAmount) !== 0n) wrong.push('feeAmount')
  else if (input) wrong.push(...demandFaults(placement, input, found))
  const [field] = wrong
  if (field)
    throw new TradegraphError('InvalidParameter', `the order differs from the demand: ${wrong.join(', ')}`, {
      field,
    })
}

function demandFaults(
  { quote, protocolFeeBps = null, slippage, slippageBps }: OrderPlacement,
  input: Input<QuoteInput>,
  found: Omit<AnsweredQuote, 'quoted'>,
): string[] {
  const { sellAmount, buyAmount, feeAmount } = quote ?? {}
  if (sellAmount === undefined || buyAmount === undefined || feeAmount === undefined)
    throw new TradegraphError('InvalidParameter', 'the limit cannot be checked without the quoted amounts', {
      field: 'quote',
    })
  const measured = input.slippage === 'AUTO' ? slippage?.bps : undefined
  const quoted = { sellAmount, buyAmount, feeAmount, protocolFeeBps }
  return unmetDemands({ ...found, quoted }, input, acceptedSlippage(slippageBps, measured))
}

async function domainFor(
  client: Client,
  { order, network, signal }: Pick<OrderPlacement, 'order' | 'network' | 'signal'>,
): Promise<SigningDomain> {
  const { domain } = (order.typedData ?? {}) as { domain?: SigningDomain }
  if (domain) return domainOf(Number(domain.chainId), domain.verifyingContract)
  const { networks } = await client.query(NetworksDocument, {}, signal && { signal })
  const named = networks.filter(
    ({ name, chainId }) => network === undefined || name === network || String(chainId) === network,
  )
  const [only] = named
  if (!only || named.length > 1)
    throw new TradegraphError('InvalidParameter', 'name one of the networks', { field: 'network' })
  return domainOf(only.chainId, only.settlementContract)
}
