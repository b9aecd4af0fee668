import { z } from 'zod'
import { formatRatioDown, parseUnits, priceScale } from '../../domain/amount.ts'
import { type Hook, type ParsedAppData, readAppDataDocument } from '../../domain/app-data/document.ts'
import { nativeMarker } from '../../domain/evm/address.ts'
import { toHex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import type { PartnerFee } from '../../domain/fee/policy.ts'
import { formatPercent } from '../../domain/text/readable.ts'
import {
  addressArgument,
  isoTime,
  orderArguments,
  reason,
  reasonFields,
  reasonOf,
  reasonText,
  schemeArgument,
  signatureArgument,
  termTexts,
  tokenPair,
} from '../fields.ts'
import { tool } from '../tool.ts'

const hook = z.object({ phase: z.enum(['PRE', 'POST']), target: z.string(), gasLimit: z.string() })
const marketTokens = 'base { address decimals symbol name } quote { address decimals symbol name }'

export const explainOrderTool = tool({
  name: 'explain_order_before_signing',
  title: 'Explain an order before it is signed',
  description:
    'Says what an order would allow, in words and amounts: what it sells, the minimum received, its price against the market, expiry, fees, receiver, hooks and other contents of its appData. It also names every known reason that would keep the order from being placed or filled. Stores nothing. Call it before anything is signed.',
  input: z.strictObject({
    ...orderArguments,
    from: addressArgument.describe('The owner, who will sign.'),
    signingScheme: schemeArgument.default('EIP712'),
    signature: signatureArgument.optional().describe('Only if it is signed already.'),
  }),
  output: z.object({
    tokens: tokenPair,
    terms: z.array(z.string()).describe('What a signature allows.'),
    notes: z.array(z.string()).describe('What deserves attention before signing.'),
    price: z.object({
      limit: z.string().nullable().describe('Whole buy tokens for one whole sell token.'),
      market: z.string().nullable().describe('The same at the market now.'),
      limitAboveMarketPercent: z
        .string()
        .nullable()
        .describe('Positive if the order demands more than the market gives, negative if it accepts less.'),
    }),
    expires: z.string(),
    receiver: z.object({ address: z.string(), isOwner: z.boolean() }),
    appData: z.object({
      hash: z.string(),
      isKnown: z.boolean().describe('False if only the hash is known, so that its hooks are not.'),
      hooks: z.array(hook).describe('Calls of the order before and after the trade.'),
      partnerFees: z.array(z.looseObject({ recipient: z.string() })),
      replacedOrder: z.string().nullable(),
    }),
    signedFor: z
      .object({ network: z.string(), chainId: z.number(), settlementContract: z.string() })
      .nullable(),
    diagnosis: reason.extend({ further: z.array(reason) }),
  }),
  run: `query ($input: ExplainOrderInput!, $network: NetworkName, $sellToken: TokenAddress!, $buyToken: TokenAddress!, $differ: Boolean!, $hash: Bytes32!) {
    explainOrder(input: $input) { ${reasonFields} further { ${reasonFields} } }
    market(base: $sellToken, quote: $buyToken, network: $network) @include(if: $differ) {
      ${marketTokens} spot { price } network { id: name chainId settlementContract }
    }
    appData(hash: $hash) { document }
  }`,
  variables: (input) => ({
    input,
    network: input.network,
    sellToken: tokenOf(input.sellToken),
    buyToken: tokenOf(input.buyToken),
    differ: input.sellToken.toLowerCase() !== input.buyToken.toLowerCase(),
    hash: hashOf(input.appData),
  }),
  answer: ({ explainOrder: { further, ...first }, market, appData: stored }, order) => {
    const owner = order.from.toLowerCase()
    const receiver = (order.receiver ?? order.from).toLowerCase()
    const unknown = { decimals: null }
    const sellToken = { ...(market?.base ?? unknown), address: order.sellToken.toLowerCase() }
    const buyToken = { ...(market?.quote ?? unknown), address: order.buyToken.toLowerCase() }
    const document = toHex(order.appData, 32) ? stored?.document : order.appData
    const contents = contentsOf(document)
    const price = priceOf(order, { sellToken, buyToken, market: market?.spot?.price ?? null })
    const { network } = market ?? {}
    return {
      tokens: [sellToken, buyToken],
      expires: isoTime(order.validTo),
      price,
      terms: termTexts({ ...order, sellToken, buyToken, owner, receiver }),
      notes: notesOf(order, contents, price.limitAboveMarketPercent),
      receiver: { address: receiver, isOwner: receiver === owner },
      appData: {
        hash: hashOf(order.appData),
        isKnown: typeof contents === 'object',
        hooks: hooksOf(contents),
        partnerFees: typeof contents === 'object' ? contents.partnerFees.map((fee) => ({ ...fee })) : [],
        replacedOrder: typeof contents === 'object' ? contents.replacedOrder : null,
        ...(document !== '{}' && document !== undefined && { document }),
      },
      signedFor: network
        ? { network: network.id, chainId: network.chainId, settlementContract: network.settlementContract }
        : null,
      diagnosis: { ...reasonOf(first), further: further.map(reasonOf) },
    }
  },
  words: ({ terms, notes, price, diagnosis }) => [
    ...terms,
    priceText(price),
    ...notes.map((note) => `Attention: ${note}`),
    ...[diagnosis, ...diagnosis.further].map(reasonText),
  ],
})

const tokenOf = (address: string) => (address.toLowerCase() === nativeMarker ? '-' : address)
const hashOf = (appData: string) => toHex(appData, 32) ?? keccakText(appData)

type Contents = ParsedAppData | 'unknown' | 'malformed'

function contentsOf(document: string | undefined): Contents {
  return document === undefined ? 'unknown' : (readAppDataDocument(document) ?? 'malformed')
}

function hooksOf(contents: Contents): z.infer<typeof hook>[] {
  if (typeof contents === 'string') return []
  const written = (phase: 'PRE' | 'POST') => (each: Hook) => ({
    phase,
    target: each.target,
    gasLimit: String(each.gasLimit),
  })
  return [...contents.preHooks.map(written('PRE')), ...contents.postHooks.map(written('POST'))]
}

interface Priced {
  sellToken: { decimals: number | null }
  buyToken: { decimals: number | null }
  market: string | null
}

/** The signed price and that of the market, of whole tokens. */
function priceOf(order: { sellAmount: string; buyAmount: string }, { sellToken, buyToken, market }: Priced) {
  const [sold, bought] = [BigInt(order.sellAmount), BigInt(order.buyAmount)]
  if (sellToken.decimals === null || buyToken.decimals === null || sold === 0n)
    return { limit: null, market, limitAboveMarketPercent: null }
  const above = bought * 10n ** BigInt(sellToken.decimals)
  const below = sold * 10n ** BigInt(buyToken.decimals)
  const spot = market === null ? 0n : parseUnits(market, 36)
  const parts = spot === 0n ? null : (((above * priceScale * priceScale) / below - spot) * 1_000_000n) / spot
  return {
    limit: formatRatioDown(above, below),
    market,
    limitAboveMarketPercent: parts === null ? null : formatPercent(parts),
  }
}

function priceText({
  limit,
  market,
  limitAboveMarketPercent: percent,
}: {
  limit: string | null
  market: string | null
  limitAboveMarketPercent: string | null
}): string {
  if (limit === null || market === null || percent === null)
    return 'The price of the order cannot be compared with the market.'
  const side = percent.startsWith('-') ? 'below' : 'above'
  return `The limit is ${limit} buy tokens for one sell token, ${percent.replace('-', '')} % ${side} the market's ${market}.`
}

/** A limit so far below the market, in per cent, accepts a bad price. */
const farBelow = 2

const feeText = (fee: PartnerFee) =>
  fee.kind === 'volume'
    ? `${fee.volumeBps} basis points of the volume go to ${fee.recipient}.`
    : `${fee.bps} basis points of the gain, at most ${fee.maxVolumeBps} of the volume, go to ${fee.recipient}.`

interface NotedOrder {
  from: string
  receiver?: string | null | undefined
  feeAmount: string
  partiallyFillable: boolean
  sellTokenBalance: string
  buyTokenBalance: string
}

function notesOf(order: NotedOrder, contents: Contents, percent: string | null): string[] {
  const { receiver, from, feeAmount, sellTokenBalance, buyTokenBalance } = order
  const notes: string[] = []
  if (receiver && receiver.toLowerCase() !== from.toLowerCase())
    notes.push(`The receiver ${receiver.toLowerCase()} is not the owner.`)
  if (percent !== null && Number(percent) < -farBelow)
    notes.push(`The order accepts a price ${percent.slice(1)} % below the market.`)
  if (BigInt(feeAmount) > 0n) notes.push('feeAmount is not 0: such orders are refused.')
  if (sellTokenBalance !== 'ERC20') notes.push(`Sells from the ${sellTokenBalance} balance of the vault.`)
  if (buyTokenBalance !== 'ERC20') notes.push('Pays into the INTERNAL balance of the vault.')
  if (contents === 'unknown')
    notes.push('The appData document is not known: it may hold hooks and fees that nothing here shows.')
  if (contents === 'malformed') notes.push('The appData document is malformed.')
  for (const { phase, target, gasLimit } of hooksOf(contents))
    notes.push(`A ${phase.toLowerCase()}-hook calls ${target} with up to ${gasLimit} gas.`)
  if (typeof contents === 'string') return notes
  for (const fee of contents.partnerFees) notes.push(feeText(fee))
  if (contents.replacedOrder) notes.push(`It replaces the order ${contents.replacedOrder}.`)
  if (contents.signer) notes.push(`appData names ${contents.signer} as the signer.`)
  if (contents.validFrom !== null) notes.push(`It is in no auction before ${isoTime(contents.validFrom)}.`)
  if (contents.wrapped) notes.push('It must be settled through wrapper contracts.')
  return notes
}
