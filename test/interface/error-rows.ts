import { Wallet } from 'ethers'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { RefusalCode } from '../../src/domain/errors/refusal-codes.ts'
import { numbered } from '../fakes/order.ts'
import { createTrader } from '../setup/trader.ts'
import type { World } from '../setup/world.ts'
import { type Ask, notifications, placing, quoting, registering, tokenPrice, topHolders } from './asks.ts'

type Json = Record<string, unknown>

/** A row of the interface's error tables: the request, and the response over REST and GraphQL. */
export interface ErrorRow {
  /** The status in the table. */
  status: number
  /** The order book's code, or the text of a `message`; null where the table leaves the text open. */
  documented: string | null
  /** The code behind a `message`, which only GraphQL returns. */
  code?: RefusalCode
  because: string
  ask(world: World): Ask | Promise<Ask>
  /** Why the condition cannot be met in GraphQL: its types do not allow such a request. */
  restOnly?: true
  /** The field in the GraphQL error, where it differs from REST's. */
  graphField?: string
}

const oneWeth = 10n ** 18n

function quoteBody({ market }: World, change: Json = {}): Json {
  const { WETH, USDC } = market.tokens
  return {
    kind: 'sell',
    sellAmountBeforeFee: `${oneWeth}`,
    sellToken: WETH.address,
    buyToken: USDC.address,
    from: market.accounts[0]?.address,
    ...change,
  }
}

function quoteRow(
  status: number,
  documented: string,
  because: string,
  change: (world: World) => Json,
): ErrorRow {
  return { status, documented, because, ask: (world) => quoting(quoteBody(world, change(world))) }
}

const malformed = (
  because: string,
  change: Json,
  inGraph: Pick<ErrorRow, 'graphField' | 'restOnly'> = {},
) => ({
  ...quoteRow(400, 'InvalidParameter', because, () => change),
  ...inGraph,
})

/** In GraphQL the name of the amount gives the kind. */
const restOnly = { restOnly: true } as const

export const quoteErrors: ErrorRow[] = [
  quoteRow(400, 'SellAmountDoesNotCoverFee', 'it sells less than gas costs', () => ({
    sellAmountBeforeFee: `${10n ** 13n}`,
  })),
  ...(['sellAmountBeforeFee', 'sellAmountAfterFee'] as const).map((form) =>
    quoteRow(400, 'SellAmountDoesNotCoverFee', `what it sells is worth less than an atom: ${form}`, () => ({
      sellAmountBeforeFee: undefined,
      [form]: '1',
    })),
  ),
  quoteRow(400, 'NoLiquidity', 'more is sold than all pools take', () => ({
    sellAmountBeforeFee: `${2n ** 200n}`,
  })),
  quoteRow(400, 'NoLiquidity', 'more is bought than all pools hold', ({ market }) => ({
    kind: 'buy',
    sellAmountBeforeFee: undefined,
    buyAmountAfterFee: `${10n ** 30n}`,
    buyToken: market.tokens.USDC.address,
  })),
  quoteRow(400, 'UnsupportedToken', 'it takes a fee on every transfer', ({ market }) => ({
    sellToken: market.tokens.FEE.address,
  })),
  malformed('sellToken is missing', { sellToken: undefined }),
  malformed('buyToken is missing', { buyToken: undefined }),
  malformed('from is missing', { from: undefined }),
  malformed('kind is missing', { kind: undefined }, restOnly),
  malformed('a sell order without a size', { sellAmountBeforeFee: undefined }, { graphField: 'amount' }),
  malformed(
    'a buy order without a size',
    { kind: 'buy', sellAmountBeforeFee: undefined },
    { graphField: 'amount' },
  ),
  malformed('an address is short', { sellToken: '0x12' }),
  malformed('an address lacks its 0x', { from: '0f'.repeat(20) }),
  malformed('an amount in hex', { sellAmountBeforeFee: '0x10' }, { graphField: 'amount.sellBeforeFee' }),
  malformed('an amount with a point', { sellAmountBeforeFee: '1.5' }, { graphField: 'amount.sellBeforeFee' }),
  malformed('a kind that is none', { kind: 'swap' }, restOnly),
]

function orderRow(
  documented: string,
  because: string,
  change: { before?: Json; after?: (order: Json) => Json },
  status = 400,
): ErrorRow {
  return {
    status,
    documented,
    because,
    async ask(world) {
      const order = await signedFor(world, 0, change.before)
      return placing({ ...order, ...change.after?.(order) })
    },
  }
}

async function signedFor(world: World, account: number, before: Json = {}): Promise<Json> {
  const wish = { sell: 'COW', buy: 'USDC', sellAmount: oneWeth, buyAmount: 10n ** 12n, ...before } as const
  return createTrader(world.url, world.market, account).sign(wish)
}

/** An account without balance and approvals; its order is signed correctly. */
async function signedByStranger(world: World): Promise<Json> {
  const { privateKey, address } = Wallet.createRandom()
  const market = { ...world.market, accounts: [{ ...world.market.accounts[0], privateKey, address }] }
  const wish = { sell: 'COW', buy: 'USDC', sellAmount: oneWeth, buyAmount: 10n ** 12n } as const
  return createTrader(world.url, market as World['market']).sign(wish)
}

/** The account that may not trade here. */
export const deniedAccount = 2

export const orderErrors: ErrorRow[] = [
  orderRow('InvalidSignature', 'another order was signed', { after: () => ({ sellAmount: '1' }) }),
  orderRow('InvalidSignature', 'signed as typed data, declared a message', {
    after: () => ({ signingScheme: 'ethsign' }),
  }),
  ...['0x', `0x${'12'.repeat(64)}34ab`].map((signature) =>
    orderRow('InvalidSignature', `the signature is ${signature.length / 2 - 1} bytes long`, {
      after: () => ({ signature }),
    }),
  ),
  orderRow('InvalidSignature', 'signed by another account', { after: () => ({ from: numbered('0f') }) }),
  {
    status: 400,
    documented: 'DuplicatedOrder',
    because: 'the same UID exists',
    async ask(world) {
      const order = await signedFor(world, 0)
      const { rest } = placing(order)
      const taken = await fetch(`${world.url}${rest.path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(order),
      })
      if (taken.status !== 201 && !(await taken.clone().text()).includes('DuplicatedOrder'))
        throw new Error(`not placed: ${await taken.text()}`)
      return placing(order)
    },
  },
  {
    status: 400,
    documented: 'InsufficientBalance',
    because: 'the owner holds nothing',
    ask: async (world) => placing(await signedByStranger(world)),
  },
  {
    status: 400,
    documented: 'InsufficientAllowance',
    because: 'the relayer is approved for nothing',
    async ask(world) {
      const order = await signedByStranger(world)
      await give(world, String(order.from))
      return placing(order)
    },
  },
  orderRow('OrderExpired', 'validTo has passed', { before: { validTo: 1_700_000_000 } }),
  orderRow('SellAmountOverflow', 'it sells more than uint256', {
    after: () => ({ sellAmount: `${maxUint256 + 1n}` }),
  }),
  orderRow('BuyAmountOverflow', 'it buys more than uint256', {
    after: () => ({ buyAmount: `${maxUint256 + 1n}` }),
  }),
  orderRow('InvalidAppData', 'the document was not uploaded', {
    before: { appDataHash: `0x${'ab'.repeat(32)}` },
  }),
  orderRow('InvalidAppData', 'the document is no JSON', {
    after: () => ({ appData: '{', appDataHash: undefined }),
  }),
  {
    status: 403,
    documented: 'Forbidden',
    because: 'the owner is banned',
    ask: async (world) => placing(await signedFor(world, deniedAccount)),
  },
]

/** Transfers atoms to an account from one that has them. */
async function give({ market, chain }: World, to: string): Promise<void> {
  const data = `0xa9059cbb${to.slice(2).toLowerCase().padStart(64, '0')}${oneWeth.toString(16).padStart(64, '0')}`
  const from = market.accounts[1]?.address
  await chain.rpc.call('eth_sendTransaction', [{ from, to: market.tokens.COW.address, data }])
  await chain.rpc.call('evm_mine', [])
}

/** Without code, pools and transfers. */
const unused = numbered('0b0d')

/** Checksummed, but for the case of one letter. */
function wrongChecksum({ market }: World): string {
  const { USDC } = market.tokens
  const letters = [...USDC.address]
  const at = letters.findIndex((letter, index) => index > 1 && /[a-f]/.test(letter))
  return letters.map((letter, index) => (index === at ? letter.toUpperCase() : letter)).join('')
}

const tokenRow = (
  ask: typeof tokenPrice,
  status: number,
  documented: string | null,
  because: string,
  tokenOf: (world: World) => string,
  chain = '11155111',
): ErrorRow => ({ status, documented, because, ask: (world) => ask(chain, tokenOf(world)) })

export const tokenErrors: ErrorRow[] = [
  tokenRow(tokenPrice, 404, 'Price not found', 'no source has the token', () => unused),
  tokenRow(topHolders, 404, 'Token holders not found', 'no source has the token', () => unused),
  ...[tokenPrice, topHolders].flatMap((ask) => [
    tokenRow(ask, 400, null, 'the address is short', () => '0x12'),
    tokenRow(ask, 400, null, 'the address lacks its 0x', () => unused.slice(2)),
    tokenRow(ask, 400, null, 'the address is no hex', () => `0x${'zz'.repeat(20)}`),
    tokenRow(ask, 400, null, 'the checksum is wrong', wrongChecksum),
    tokenRow(ask, 400, null, 'there is no such chain', () => unused, 'nowhere'),
  ]),
  ...['0x12', '0f'.repeat(20)].map((account) => ({
    status: 400,
    documented: null,
    because: `notifications of what is no account: ${account}`,
    ask: () => notifications(account),
  })),
]

const affiliateTypes = {
  AffiliateCode: [
    { name: 'walletAddress', type: 'address' },
    { name: 'code', type: 'string' },
    { name: 'chainId', type: 'uint256' },
  ],
}

/** As the interface has wallets sign it. */
export async function signedRegistration(
  wallet: Wallet,
  code: string,
  { chainId = 1, domain = {} }: { chainId?: number; domain?: Json } = {},
): Promise<{ walletAddress: string; code: string; signedMessage: string }> {
  const walletAddress = wallet.address.toLowerCase()
  const signedMessage = await wallet.signTypedData(
    { name: 'Service Affiliate', version: '1', ...domain },
    affiliateTypes,
    { walletAddress, code, chainId },
  )
  return { walletAddress, code, signedMessage }
}

let bound = 10
const someWallet = () => new Wallet(Wallet.createRandom().privateKey)

const invalid = 'Affiliate has invalid signature'

export const affiliateErrors: ErrorRow[] = [
  {
    status: 401,
    documented: invalid,
    code: 'InvalidAffiliateSignature',
    because: 'another account signed',
    async ask() {
      const own = await signedRegistration(someWallet(), 'SOMECODE1')
      const other = await signedRegistration(someWallet(), 'SOMECODE1')
      return registering({ ...own, signedMessage: other.signedMessage })
    },
  },
  {
    status: 401,
    documented: invalid,
    code: 'InvalidAffiliateSignature',
    because: 'signed for the chain that the trades occur on',
    ask: async () => registering(await signedRegistration(someWallet(), 'SOMECODE1', { chainId: 100 })),
  },
  {
    status: 401,
    documented: invalid,
    code: 'InvalidAffiliateSignature',
    because: 'signed with a chain in the domain',
    ask: async () =>
      registering(await signedRegistration(someWallet(), 'SOMECODE1', { domain: { chainId: 1 } })),
  },
  {
    status: 401,
    documented: invalid,
    code: 'InvalidAffiliateSignature',
    because: 'what was signed is no hex',
    ask: async () =>
      registering({ ...(await signedRegistration(someWallet(), 'SOMECODE1')), signedMessage: 'no hex' }),
    restOnly: true,
  },
  {
    status: 400,
    documented: 'Affiliate wallet address mismatch',
    code: 'AffiliateWalletMismatch',
    because: 'the path names another wallet',
    ask: async () => registering(await signedRegistration(someWallet(), 'SOMECODE1'), numbered('0f')),
    restOnly: true,
  },
  {
    status: 409,
    documented: 'Affiliate code already taken',
    code: 'AffiliateCodeTaken',
    because: 'another wallet has the code',
    async ask(world) {
      await register(world, await signedRegistration(someWallet(), 'TAKENCODE'))
      return registering(await signedRegistration(someWallet(), 'TAKENCODE'))
    },
  },
  {
    status: 409,
    documented: 'Affiliate wallet address already bound to a code',
    code: 'AffiliateWalletBound',
    because: 'the wallet has a code, and sends the same message again',
    async ask(world) {
      const registration = await signedRegistration(someWallet(), `BOUND${++bound}`)
      await register(world, registration)
      return registering(registration)
    },
  },
  {
    status: 400,
    documented: null,
    because: 'a code in lower case',
    ask: async () => registering(await signedRegistration(someWallet(), 'lowercase')),
  },
  {
    status: 400,
    documented: null,
    because: 'a wallet that is none',
    ask: async () =>
      registering(
        { ...(await signedRegistration(someWallet(), 'SOMECODE1')), walletAddress: '0x12' },
        '0x12',
      ),
  },
]

/** Whether or not it exists already: REST and GraphQL use a row each. */
async function register({ url }: World, body: { walletAddress: string }): Promise<void> {
  const answer = await fetch(`${url}/affiliate/${body.walletAddress}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (answer.status !== 201 && answer.status !== 409)
    throw new Error(`not registered: ${await answer.text()}`)
}
