import { acceptedSlippage, unmetDemands } from '../../../client/demand.ts'
import type { QuoteInput } from '../../../client/documents.generated.ts'
import type { Input } from '../../../client/scalars.ts'
import { signedForm } from '../../../client/typed-data.ts'
import { maxUint256, parseUnits } from '../../../domain/amount.ts'
import { type Address, toAddress } from '../../../domain/evm/address.ts'
import { plain } from '../../../domain/text/readable.ts'
import { amount, nameOf } from '../order-text.ts'
import { CommandFault, exitCodes, queryService, type Service } from '../service.ts'
import { checkPlace, type FindOwnNetwork } from './contracts.ts'
import { accountOf, impactLine, type OrderFile, termsInput } from './order-file.ts'

/** The flags of `tradegraph quote`, as given. */
interface QuoteFlags {
  sell: string | undefined
  buy: string | undefined
  amount: string | undefined
  'buy-amount': string | undefined
  limit: string | undefined
  from: string | undefined
  receiver: string | undefined
  network: string | undefined
  slippage: string | undefined
  'valid-for': string
}

export interface NetworkAnswer {
  name: string
  chainId: number
  settlementContract: Address
}

const token = '{ address symbol decimals }'
const networksDocument = 'query Networks { networks { name chainId settlementContract } }'
const tokensDocument = `query Tokens($addresses: [Address!]!, $network: NetworkName!) {
  tokens(addresses: $addresses, network: $network) ${token}
}`
/** Pools come by their value. Where there are more, another token may have the same symbol. */
const symbolsDocument = `query Symbols($network: NetworkName!) {
  network(name: $network) { contracts { poolFactory } wrappedNative ${token} pools(first: 1000) { pageInfo { hasNextPage } nodes { token0 ${token} token1 ${token} } } }
}`
/** The tokens that the service has read, for a network without pools: those with a price come first. */
const searchDocument = `query Named($network: NetworkName!, $search: String!) {
  network(name: $network) { tokens(search: $search, first: 100) {
    pageInfo { hasNextPage } nodes { address symbol decimals lastAuctionPrice }
  } }
}`
const quoteDocument = `mutation Quote($input: QuoteInput!, $slippageBps: BasisPoints) {
  quote(input: $input) {
    quoteId verified
    quote { sellAmount buyAmount feeAmount } protocolFeeBps slippage { bps }
    order(slippageBps: $slippageBps) {
      sellToken buyToken receiver sellAmount buyAmount validTo appData feeAmount
      kind partiallyFillable sellTokenBalance buyTokenBalance
    }
    priceImpact { share usd isNotable needsAcceptance }
    warnings { code summary advice }
  }
}`

const explainDocument = `query ExplainLimit($input: ExplainOrderInput!) {
  explainOrder(input: $input) { code summary advice further { code summary advice } }
}`

interface Warning {
  code: string
  summary: string
  advice: string
}

interface QuoteAnswer {
  quote: {
    quoteId: number | null
    verified: boolean
    quote: { sellAmount: string; buyAmount: string; feeAmount: string }
    protocolFeeBps: string | null
    slippage: { bps: number } | null
    order: OrderFile['order']
    priceImpact: NonNullable<OrderFile['priceImpact']> | null
    warnings: readonly Warning[]
  }
}

/** The document of every order that is quoted here. */
const appData = '{}'
interface QuoteTools {
  service: Service
  warn(line: string): void
  findOwnNetwork: FindOwnNetwork
}

/** Quotes an order. @returns the file to sign @throws CommandFault */
export async function quote(
  flags: QuoteFlags,
  { service, warn, findOwnNetwork }: QuoteTools,
): Promise<OrderFile> {
  const from = accountOf('--from', needed('from', flags)) as Address
  const receiver = accountOf('--receiver', flags.receiver)
  const slippage = slippageOf(flags.slippage)
  if (flags.limit !== undefined && slippage !== undefined)
    throw new CommandFault(exitCodes.usage, '--limit leaves no place for --slippage')
  const validFor = validityOf(flags['valid-for'])
  const [sell, buy] = [needed('sell', flags), needed('buy', flags)]
  if ((flags.amount === undefined) === (flags['buy-amount'] === undefined))
    throw new CommandFault(exitCodes.usage, 'quote needs either --amount or --buy-amount')
  const network = await chooseNetwork(flags.network, service)
  const { name, chainId, settlementContract } = network
  checkPlace({ network: name, chainId, settlementContract }, findOwnNetwork(name))
  const [sellToken, buyToken] = await findTokens([sell, buy], network.name, service)
  const isSale = flags.amount !== undefined
  const fixed = isSale
    ? atomsOf('--amount', flags.amount ?? '', sellToken)
    : atomsOf('--buy-amount', flags['buy-amount'] ?? '', buyToken)
  const input: Input<QuoteInput> = {
    network: network.name,
    from,
    receiver,
    sellToken: sellToken.address,
    buyToken: buyToken.address,
    amount: isSale ? { sellBeforeFee: fixed } : { buyAfterFee: fixed },
    validity: { validFor },
    appData,
    ...(slippage === 'auto' && { slippage: 'AUTO' }),
  }
  const slippageBps = typeof slippage === 'number' ? slippage : undefined
  const { quote } = await queryService<QuoteAnswer>(service, quoteDocument, { input, slippageBps })
  const { warnings, verified } = quote
  checkAnswer(quote, input, { slippageBps, hasLimit: flags.limit !== undefined })
  const limit =
    flags.limit === undefined
      ? {}
      : isSale
        ? { buyAmount: atomsOf('--limit', flags.limit, buyToken) }
        : { sellAmount: atomsOf('--limit', flags.limit, sellToken) }
  const order = { ...quote.order, ...limit }
  const atLimit = isSale
    ? `at least ${amount(order.buyAmount, buyToken)}`
    : `at most ${amount(order.sellAmount, sellToken)}`
  warn(
    plain(
      `quoted: ${amount(quote.quote.sellAmount, sellToken)} (${sellToken.address})` +
        ` for ${amount(quote.quote.buyAmount, buyToken)} (${buyToken.address})` +
        `${verified ? ', verified by a simulation' : ''}; the order takes ${atLimit}`,
    ),
  )
  const file: OrderFile = {
    network: name,
    chainId,
    settlementContract,
    from,
    quoteId: quote.quoteId,
    sellToken,
    buyToken,
    appData,
    order,
    priceImpact: quote.priceImpact,
  }
  const impact = impactLine(file)
  if (impact !== undefined) warn(impact)
  const conceded = isSale
    ? concededBpsDown(quote.quote.buyAmount, order.buyAmount)
    : concededBpsDown(order.sellAmount, quote.quote.sellAmount)
  if (conceded >= notableBps)
    warn(`warning: the limit is ${conceded / 100} % worse than the quote: the order may be filled at it`)
  // Warnings of a quote are about its own limit.
  for (const { code, summary, advice } of flags.limit === undefined
    ? warnings.filter((warning) => warning.code !== 'PRICE_IMPACT' && warning.code !== 'PRICE_UNKNOWN')
    : await limitWarnings(file, service))
    warn(plain(`warning: ${code}: ${summary} ${advice}`))
  return file
}

/** A limit that concedes so much of the quote is mentioned. */
const notableBps = 500

/** The hundredths of a percent by which the second amount is less than the first, rounded down. */
function concededBpsDown(quoted: string, limit: string): number {
  const whole = BigInt(quoted)
  return whole > 0n ? Number(((whole - BigInt(limit)) * 10_000n) / whole) : 0
}

/** Warnings of an order with the trader's own limit: causes that would keep it open. */
async function limitWarnings(file: OrderFile, service: Service): Promise<Warning[]> {
  const input = { ...termsInput(file), signingScheme: 'EIP712' }
  const answer = await queryService<{ explainOrder: Warning & { further: Warning[] } }>(
    service,
    explainDocument,
    { input },
  ).catch(({ message }: Error) => message)
  if (typeof answer === 'string')
    return [{ code: 'UNCHECKED', summary: 'The limit was not checked:', advice: answer }]
  const { explainOrder } = answer
  return [explainOrder, ...explainOrder.further].filter(({ code }) => code !== 'PLACEABLE')
}

/** Compares all but the price with what was demanded: nothing else would. @throws CommandFault */
function checkAnswer(
  { quote, order, slippage, protocolFeeBps }: QuoteAnswer['quote'],
  input: Input<QuoteInput>,
  { slippageBps, hasLimit }: { slippageBps: number | undefined; hasLimit: boolean },
): void {
  const signed = signedForm(order, input.from)
  const answered = {
    order: signed,
    owner: input.from,
    document: appData,
    quoted: { ...quote, protocolFeeBps },
  }
  const measured = input.slippage === 'AUTO' ? slippage?.bps : undefined
  // A limit of the trader takes the place of the service's.
  const accepted = hasLimit ? anySlippage : acceptedSlippage(slippageBps, measured)
  const wrong = unmetDemands(answered, input, accepted)
  if (wrong.length > 0)
    throw new CommandFault(
      exitCodes.refused,
      `the service quotes another order than the flags demand: see its ${wrong.join(', ')}`,
    )
}

const anySlippage = 10_000

function needed(flag: 'from' | 'sell' | 'buy', flags: QuoteFlags): string {
  const value = flags[flag]
  if (value === undefined) throw new CommandFault(exitCodes.usage, `quote needs --${flag}`)
  return value
}

/** The network of a name or chain id; without one, the only one. */
export async function chooseNetwork(name: string | undefined, service: Service): Promise<NetworkAnswer> {
  const { networks } = await queryService<{ networks: NetworkAnswer[] }>(service, networksDocument, {})
  const [chosen, second] = networks.filter(
    (network) => name === undefined || network.name === name || String(network.chainId) === name,
  )
  if (chosen && !second) return chosen
  throw new CommandFault(
    exitCodes.usage,
    `--network must be one of ${networks.map((network) => network.name).join(', ')}`,
  )
}

type KnownToken = OrderFile['sellToken']

async function findTokens(
  [sell, buy]: readonly [string, string],
  network: string,
  service: Service,
): Promise<[KnownToken, KnownToken]> {
  const addresses = [...new Set([sell, buy].flatMap((name) => toAddress(name) ?? []))]
  const [{ tokens }, listed] = await Promise.all([
    addresses.length > 0
      ? queryService<{ tokens: KnownToken[] }>(service, tokensDocument, { addresses, network })
      : { tokens: [] },
    listTokens(
      [...new Set([sell, buy])].filter((name) => !toAddress(name)),
      network,
      service,
    ),
  ])
  const find = (name: string): KnownToken => {
    const known = toAddress(name)
    const found = known
      ? tokens.filter(({ address }) => address === known)
      : listed.tokens.filter((token) => isCalled(token, name))
    const [token, second] = found
    if (!token)
      throw new CommandFault(
        exitCodes.refused,
        listed.hasPools
          ? `${listed.tokens.length > 1 ? 'no pool' : 'no pool that is known yet'} on ${network} has a token ${name}: name its address`
          : `the service has read no token ${name} on ${network}: name its address`,
      )
    if (second) {
      const all = found.map(({ address }) => address).join(', ')
      throw new CommandFault(exitCodes.refused, `several tokens are called ${name}: name one of ${all}`)
    }
    if (!known && !listed.isWhole(name) && token.address !== listed.wrappedNative)
      throw new CommandFault(
        exitCodes.refused,
        `${network} has too many ${listed.hasPools ? 'pools' : 'tokens'} to know that only one token is called ${name}: name its address`,
      )
    return token
  }
  return [find(sell), find(buy)]
}

const isCalled = ({ symbol }: KnownToken, name: string) => symbol?.toLowerCase() === name.toLowerCase()

interface ListedTokens {
  tokens: readonly KnownToken[]
  wrappedNative: Address | undefined
  hasPools: boolean
  /** Reports whether no other token with this name can be missing. */
  isWhole(name: string): boolean
}

/**
 * The tokens that these names may stand for: those of the network's pools, each once; without pools those
 * that the service has read.
 */
async function listTokens(
  names: readonly string[],
  network: string,
  service: Service,
): Promise<ListedTokens> {
  if (names.length === 0) return { tokens: [], wrappedNative: undefined, hasPools: true, isWhole: () => true }
  const { network: found } = await queryService<{
    network: {
      contracts: { poolFactory: Address | null }
      wrappedNative: KnownToken
      pools: {
        pageInfo: { hasNextPage: boolean }
        nodes: readonly { token0: KnownToken; token1: KnownToken }[]
      } | null
    }
  }>(service, symbolsDocument, { network })
  const hasPools = found.contracts.poolFactory !== null
  const searched = hasPools
    ? []
    : await Promise.all(
        names
          .filter((name) => !isCalled(found.wrappedNative, name))
          .map((name) => searchTokens(name, network, service)),
      )
  const all = [
    found.wrappedNative,
    ...(found.pools?.nodes ?? []).flatMap(({ token0, token1 }) => [token0, token1]),
    ...searched.flatMap(({ tokens }) => tokens),
  ]
  return {
    tokens: [...new Map(all.map((each) => [each.address, each])).values()],
    wrappedNative: found.wrappedNative.address as Address,
    hasPools,
    isWhole: (name) =>
      hasPools
        ? !found.pools?.pageInfo.hasNextPage
        : searched.some((search) => search.name === name && search.isWhole),
  }
}

/**
 * The tokens with this symbol that have a price, else all with it: anyone makes a token with the symbol of
 * another.
 */
async function searchTokens(name: string, network: string, service: Service) {
  const { network: found } = await queryService<{
    network: {
      tokens: {
        pageInfo: { hasNextPage: boolean }
        nodes: readonly (KnownToken & { lastAuctionPrice: string | null })[]
      }
    }
  }>(service, searchDocument, { network, search: name })
  const called = found.tokens.nodes.filter((token) => isCalled(token, name))
  const priced = called.filter(({ lastAuctionPrice }) => lastAuctionPrice !== null)
  const tokens = (priced.length > 0 ? priced : called).map(
    ({ lastAuctionPrice: _, ...token }): KnownToken => token,
  )
  return { name, tokens, isWhole: priced.length > 0 || !found.tokens.pageInfo.hasNextPage }
}

/** Atoms of an amount in whole tokens, exactly. */
function atomsOf(flag: string, text: string, token: KnownToken): string {
  const { decimals } = token
  const name = nameOf(token)
  if (decimals === null)
    throw new CommandFault(
      exitCodes.refused,
      `${name} has no decimals: the amount in whole tokens is unknown`,
    )
  const [, , fraction = ''] = /^(\d{1,78})(?:\.(\d{1,255}))?$/.exec(text) ?? []
  if (!/^\d{1,78}(\.\d{1,255})?$/.test(text))
    throw new CommandFault(exitCodes.usage, `${flag} must be a decimal number of tokens, such as 1.5`)
  if (fraction.length > decimals)
    throw new CommandFault(
      exitCodes.usage,
      `${flag} has ${fraction.length} decimals, but ${name} has ${decimals}`,
    )
  const atoms = parseUnits(text, decimals)
  if (atoms === 0n || atoms > maxUint256)
    throw new CommandFault(exitCodes.usage, `${flag} must be above 0 and below 2^256 atoms`)
  return String(atoms)
}

/** Basis points of a percentage; undefined leaves it to the service. */
function slippageOf(text: string | undefined): number | 'auto' | undefined {
  if (text === undefined || text === 'auto') return text
  if (!/^\d{1,2}(\.\d{1,2})?$/.test(text))
    throw new CommandFault(exitCodes.usage, '--slippage must be a percentage such as 0.5, or auto')
  return Number(parseUnits(text, 2))
}

function validityOf(text: string): number {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text)
  throw new CommandFault(exitCodes.usage, '--valid-for must be a number of seconds')
}
