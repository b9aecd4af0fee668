import { setTimeout as delay } from 'node:timers/promises'
import { Interface, parseUnits, toBeHex, toQuantity } from 'ethers'
import { z } from 'zod'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { settlementAbi } from '../../chain/settlement/call.ts'
import { type Address, address } from '../../domain/evm/address.ts'
import { type Hex, toHex } from '../../domain/evm/hex.ts'
import { keccakText } from '../../domain/evm/keccak.ts'
import { type Clock, unixSeconds } from '../../domain/log.ts'
import { shedFactory } from '../../domain/network/network.ts'
import { composableCowAbi } from '../../domain/programmatic/abi.ts'
import { blockTimestampFactory, composableCow, newestHandler } from '../../domain/programmatic/handlers.ts'
import { encodeStaticInput } from '../../domain/programmatic/static-input.ts'
import type { Account, Market, TokenSymbol } from './market.ts'
import { postJson, signOrder, tradingAccounts } from './traders.ts'

/** Orders of the local system that show what keeps an order from being filled, and a TWAP. */

interface WaitingOptions {
  /** Base URL of the service, such as `http://127.0.0.1:4000`. */
  baseUrl: string
  market: Market
  /** The node of the local chain, which has the keys of the accounts. */
  rpc: Rpc
  now: Clock
}

/** An order that waits, with the path of its page. */
interface WaitingOrder {
  what: string
  path: string
}

interface Row {
  /** Completes “waits for …”. */
  what: string
  sell: TokenSymbol
  /** Whole tokens. */
  sellAmount: string
  buy: TokenSymbol
  buyAmount: string
  /** The allowance that is set before, in whole tokens; without it that of the account stays. */
  allowance?: string
}

/**
 * The limit of the first is above the market. The account of the second has a million COW, and that of the
 * third lets the vault relayer take less than the order sells: for both the market is better than the limit.
 */
const rows: readonly Row[] = [
  { what: 'a better price', sell: 'WETH', sellAmount: '0.1', buy: 'USDC', buyAmount: '345' },
  { what: 'more balance', sell: 'COW', sellAmount: '1500000', buy: 'WETH', buyAmount: '100' },
  {
    what: 'an allowance',
    sell: 'DAI',
    sellAmount: '100000',
    buy: 'WETH',
    buyAmount: '30',
    allowance: '90000',
  },
]

/** A TWAP of an hour. */
const twap = { parts: 12n, partSellAmount: '0.05', minPartLimit: '140', everySeconds: 300n }

const validSeconds = 24 * 3_600
/** An order that ends sooner is not counted: the system may run for long. */
const minLeftSeconds = 3_600
const gas = toQuantity(3_000_000)
const pollMs = 200

const documentOf = ({ what }: Row) => `{"appCode":"Example: waits for ${what}"}`

const tokenAbi = new Interface([
  'function approve(address spender, uint256 value)',
  'function transfer(address to, uint256 value)',
])
const factoryAbi = new Interface([
  'function build(address user) returns (address shed)',
  'function proxyOf(address user) view returns (address)',
])
const walletAbi = new Interface(['function execute((address target, uint256 value, bytes data)[] calls)'])

const listOf = <Node extends z.ZodType>(node: Node) => z.object({ nodes: z.array(node) })

/** Reads a token, which the service then stores, and the stored ones. */
const naming = `query ($address: TokenAddress!, $network: NetworkName!, $symbol: String!) {
  token(address: $address, network: $network) { address }
  network(name: $network) { tokens(search: $symbol, first: 10) { nodes { address decimals } } }
}`
const storedToken = z.object({ address: z.string(), decimals: z.int().nullable() })
const namingAnswer = z.object({
  data: z.object({ network: z.object({ tokens: listOf(storedToken) }) }),
})

const standing = `query ($seller: Address!, $owner: Address!) {
  orders(owner: $seller, status: OPEN, first: 100) { nodes { uid appDataHash validTo } }
  others: orders(owner: $owner, status: OPEN, first: 100) { nodes { uid appDataHash validTo } }
  programmaticOrders(resolvedOwner: $owner, status: [SCHEDULED, ACTIVE], first: 1) { nodes { id } }
}`
const placedNode = z.object({ uid: z.string(), appDataHash: z.string(), validTo: z.int() })
const standingAnswer = z.object({
  data: z.object({
    orders: listOf(placedNode),
    others: listOf(placedNode),
    programmaticOrders: listOf(z.object({ id: z.string() })),
  }),
})

/**
 * Places the orders that are not there yet, and creates the TWAP if none is active. The trading accounts own
 * them.
 */
export async function placeWaitingOrders(
  options: WaitingOptions,
  signal: AbortSignal,
): Promise<WaitingOrder[]> {
  const { baseUrl, market, now } = options
  const [seller, owner] = tradingAccounts.map((index) => market.accounts[index])
  if (!seller || !owner) throw new RangeError('the market has no trading accounts')
  const read = async () => {
    const variables = { seller: seller.address, owner: owner.address }
    return standingAnswer.parse(await postJson(`${baseUrl}/graphql`, { query: standing, variables }, signal))
      .data
  }
  // A notification names the tokens that are known when it is written.
  for (const symbol of new Set(rows.flatMap(({ sell, buy }) => [sell, buy])))
    await isNamed(symbol, options, signal)
  const found = await read()
  const until = unixSeconds(now()) + minLeftSeconds
  const known = [...found.orders.nodes, ...found.others.nodes].filter(({ validTo }) => validTo > until)
  const waiting: WaitingOrder[] = []
  for (const row of rows) {
    const hash = keccakText(documentOf(row))
    const uid =
      known.find(({ appDataHash }) => appDataHash === hash)?.uid ??
      (await place(row, row.allowance === undefined ? seller : owner, options, signal))
    waiting.push({ what: row.what, path: `/orders/${uid}` })
  }
  if (found.programmaticOrders.nodes.length === 0) await createTwap(owner, options, signal)
  for (;;) {
    const [order] = (await read()).programmaticOrders.nodes
    if (order) return [...waiting, { what: 'the time of a TWAP', path: `/programmatic/${order.id}` }]
    await delay(pollMs, undefined, { signal, ref: false })
  }
}

/** Waits until the service has stored the name of a token. */
async function isNamed(symbol: TokenSymbol, options: WaitingOptions, signal: AbortSignal): Promise<void> {
  const { baseUrl, market } = options
  const { address } = market.tokens[symbol]
  const variables = { address, network: market.network.name, symbol }
  for (;;) {
    const { data } = namingAnswer.parse(
      await postJson(`${baseUrl}/graphql`, { query: naming, variables }, signal),
    )
    const found = data.network.tokens.nodes.find((token) => token.address === address)
    if (found && found.decimals !== null) return
    await delay(pollMs, undefined, { signal, ref: false })
  }
}

/**
 * Places one order. Only that which waits for a price is signed by a key: the service refuses others without
 * funds, but not those that are signed on chain.
 */
async function place(row: Row, account: Account, options: WaitingOptions, signal: AbortSignal): Promise<Hex> {
  const { baseUrl, market, now } = options
  const { network, tokens } = market
  const [sell, buy] = [tokens[row.sell], tokens[row.buy]]
  const appData = documentOf(row)
  const order = {
    sellToken: sell.address,
    buyToken: buy.address,
    receiver: account.address,
    sellAmount: parseUnits(row.sellAmount, sell.decimals).toString(),
    buyAmount: parseUnits(row.buyAmount, buy.decimals).toString(),
    validTo: unixSeconds(now()) + validSeconds,
    feeAmount: '0',
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const hash = keccakText(appData)
  const isFunded = row === rows[0]
  const signed = isFunded
    ? { signingScheme: 'eip712', signature: await signOrder(account, network, { ...order, appData: hash }) }
    : { signingScheme: 'presign', signature: account.address }
  const body = { ...order, ...signed, appData, appDataHash: hash, from: account.address }
  const uid = toHex(String(await postJson(`${baseUrl}/${network.name}/api/v1/orders`, body, signal)), 56)
  if (!uid) throw new TypeError('the service answers without a UID')
  if (isFunded) return uid
  if (row.allowance !== undefined) {
    const allowed = parseUnits(row.allowance, sell.decimals)
    await send(account, sell.address, tokenAbi.encodeFunctionData('approve', [network.vaultRelayer, allowed]))
  }
  await send(account, network.settlement, settlementAbi.encodeFunctionData('setPreSignature', [uid, true]))
  return uid

  function send(from: Account, to: Address, data: string) {
    return sendMined(options.rpc, from, to, data, signal)
  }
}

/** Builds the proxy of an account, funds it, and lets it authorise the TWAP. */
async function createTwap(account: Account, options: WaitingOptions, signal: AbortSignal): Promise<void> {
  const { market, rpc, now } = options
  const { tokens, network } = market
  const send = (to: Address, data: string) => sendMined(rpc, account, to, data, signal)
  const call = { to: shedFactory, data: factoryAbi.encodeFunctionData('proxyOf', [account.address]) }
  const answer = await rpc.call<string>('eth_call', [call, 'latest'])
  const shed = address(String(factoryAbi.decodeFunctionResult('proxyOf', answer)[0]))
  const partSellAmount = parseUnits(twap.partSellAmount, tokens.WETH.decimals)
  const staticInput = encodeStaticInput('TWAP', {
    sellToken: tokens.WETH.address,
    buyToken: tokens.USDC.address,
    receiver: account.address,
    partSellAmount,
    minPartLimit: parseUnits(twap.minPartLimit, tokens.USDC.decimals),
    t0: 0n,
    n: twap.parts,
    t: twap.everySeconds,
    span: 0n,
    appData: keccakText('{}'),
  })
  const params = { handler: newestHandler('TWAP'), salt: toBeHex(now(), 32), staticInput }
  const total = twap.parts * partSellAmount
  const create = composableCowAbi.encodeFunctionData('createWithContext', [
    params,
    blockTimestampFactory,
    '0x',
    true,
  ])
  const calls = [
    {
      target: tokens.WETH.address,
      data: tokenAbi.encodeFunctionData('approve', [network.vaultRelayer, total]),
    },
    { target: composableCow, data: create },
  ].map((each) => ({ value: 0n, ...each }))
  await send(shedFactory, factoryAbi.encodeFunctionData('build', [account.address]))
  await send(tokens.WETH.address, tokenAbi.encodeFunctionData('transfer', [shed, total]))
  await send(shed, walletAbi.encodeFunctionData('execute', [calls]))
}

/** @throws Error if the transaction fails */
async function sendMined(rpc: Rpc, from: Account, to: Address, data: string, signal: AbortSignal) {
  const hash = await rpc.call('eth_sendTransaction', [{ from: from.address, to, data, gas }])
  for (;;) {
    const receipt = await rpc.call<{ status: string } | null>('eth_getTransactionReceipt', [hash])
    if (receipt?.status === '0x1') return
    if (receipt) throw new Error(`transaction ${hash} of an example order failed`)
    await delay(pollMs, undefined, { signal, ref: false })
  }
}
