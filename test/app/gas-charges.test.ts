import { getAddress } from 'ethers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { App } from '../../src/app/app.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { deployer, wrapSignature } from '../chain/undeployed.ts'
import { eventually } from '../setup/eventually.ts'
import { createMessage } from '../setup/session.ts'
import { createTrader } from '../setup/trader.ts'
import { startProgram, startWorld, type World } from '../setup/world.ts'

// What the node is asked to run counts before it is asked. The clock stands still, so that nothing is
// refilled.
let world: World
let app: App
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  const at = Date.now()
  const limits = { RATE_LIMIT_READS: '50', RATE_LIMIT_QUOTES: '0', RATE_LIMIT_ORDERS: '0' }
  const features = {
    PUBLIC_URL: 'https://trade.example',
    CMS_ENABLED: 'true',
    CMS_API_KEY: 'a-key-of-editors',
  }
  const environment = { ...limits, ...features, TRUSTED_PROXIES: '127.0.0.1' }
  app = await startProgram(world, environment, { now: () => at })
  await eventually('the program is ready', async () => (await fetch(`${app.url}/health/ready`)).ok, 30_000)
})
afterAll(async () => {
  await app?.close()
  await world?.[Symbol.asyncDispose]()
})

/** A client at an address of its own, with a full bucket of 100 units. */
function clientAt(address: string) {
  return async (path: string, body: unknown) => {
    const response = await fetch(`${app.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
      body: JSON.stringify(body),
    })
    return { status: response.status, headers: response.headers, body: await response.json() }
  }
}

type Client = ReturnType<typeof clientAt>

/** The statuses of one request, sent until it is refused. */
async function untilRefused(client: Client, path: string, body: unknown, max = 30): Promise<number[]> {
  const statuses: number[] = []
  while (statuses.length < max && !statuses.includes(429)) statuses.push((await client(path, body)).status)
  return statuses
}

const times = (count: number) => [...Array<number>(count).fill(200), 429]

test('a bundle counts by the gas that it may use, and eight units for each transaction at least', async () => {
  const { accounts, network } = world.market
  const bundle = (gas?: number) => {
    const one = { from: accounts[0]?.address, to: accounts[1]?.address, input: '0x', ...(gas && { gas }) }
    return [one, one]
  }
  const path = `/${network.name}/simulation/simulateBundle`
  expect(await untilRefused(clientAt('198.51.100.1'), path, bundle(100_000))).toEqual(times(6))
  expect(await untilRefused(clientAt('198.51.100.2'), path, bundle(10_000_000))).toEqual(times(1))
  // Without limits, they share 30 million.
  const greedy = clientAt('198.51.100.3')
  expect(await untilRefused(greedy, path, bundle())).toEqual(times(1))
  expect((await greedy(path, bundle())).headers.get('retry-after')).toMatch(/^[1-9]/)
})

test('a verified quote counts by the gas of its hooks', async () => {
  const { accounts, network, tokens } = world.market
  const quote = (gasLimit: string, priceQuality: string) => {
    const hook = { target: accounts[1]?.address, callData: '0x', gasLimit }
    return {
      sellToken: tokens.WETH.address,
      buyToken: tokens.USDC.address,
      from: accounts[0]?.address,
      kind: 'sell',
      sellAmountBeforeFee: `${10n ** 18n}`,
      priceQuality,
      appData: JSON.stringify({ metadata: { hooks: { pre: [hook] } } }),
    }
  }
  const path = `/${network.name}/api/v1/quote`
  const client = clientAt('198.51.100.4')
  expect(await untilRefused(client, path, quote('8000000', 'verified'))).toEqual(times(3))
  const refused = await client(path, quote('8000000', 'verified'))
  expect(refused.body).toMatchObject({ errorType: 'RateLimited' })
  // What is not simulated costs the node nothing.
  expect((await client(path, quote('8000000', 'optimal'))).status).toBe(200)
})

test('a simulation of an order counts by the gas that a settlement may use', async () => {
  const trader = createTrader(world.url, world.market)
  const wish = { sell: 'WETH', buy: 'USDC', sellAmount: 10n ** 18n, buyAmount: 9_000n * 10n ** 6n } as const
  const { body: uid } = await trader.place(wish)
  const query = `{ order(network: SEPOLIA, uid: "${uid}") { simulation { error } } }`
  const client = clientAt('198.51.100.6')
  const codes: (string | undefined)[] = []
  for (let count = 0; count < 6; count++) {
    const { body } = await client('/graphql', { query })
    codes.push(body.errors?.[0].extensions.code)
  }
  expect(codes.slice(0, 5)).toEqual(Array(5).fill(undefined))
  expect(codes.slice(5)).toEqual(['RateLimited'])
})

/** From now on a token burns all of its gas where it has more than three million. */
async function burnGas(token: string): Promise<void> {
  const { rpc } = world.chain
  const copy = `0x${'c0'.repeat(20)}`
  await rpc.call('anvil_setCode', [copy, await rpc.call('eth_getCode', [token, 'latest'])])
  const hasMuch = '5a63002dc6c010604057'
  const forward = `366000600037600060003660007${`3${'c0'.repeat(20)}`}5af43d6000803e`
  const answer = '603a573d6000fd5b3d6000f3'
  await rpc.call('anvil_setCode', [token, `0x${hasMuch}${forward}${answer}005b604056`])
}

test('a quote whose token burns gas counts by what its simulation used', async () => {
  const { accounts, network, tokens } = world.market
  await burnGas(tokens.COW.address)
  const quote = (buyToken: string) => ({
    sellToken: tokens.WETH.address,
    buyToken,
    from: accounts[0]?.address,
    kind: 'sell',
    sellAmountBeforeFee: `${10n ** 18n}`,
    priceQuality: 'verified',
  })
  const path = `/${network.name}/api/v1/quote`
  const honest = clientAt('198.51.100.8')
  let clients = 0
  // Until a block has the new code, its simulation uses as little as before.
  await eventually('a client is refused early', async () => {
    const greedy = clientAt(`198.51.101.${clients++}`)
    const statuses = await untilRefused(greedy, path, quote(tokens.COW.address), 8)
    return statuses.at(-1) === 429
  })
  expect(await untilRefused(honest, path, quote(tokens.USDC.address))).toEqual(Array(30).fill(200))
})

test('an order counts by the gas of its pre-hooks and of its wallet', async () => {
  const { accounts, network, tokens } = world.market
  const order = (gasLimit: string) => ({
    sellToken: tokens.WETH.address,
    buyToken: tokens.USDC.address,
    receiver: null,
    sellAmount: `${10n ** 18n}`,
    buyAmount: '1',
    feeAmount: '0',
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
    validTo: Math.floor(Date.now() / 1_000) + 1_200,
    appData: JSON.stringify({
      metadata: { hooks: { pre: [{ target: accounts[1]?.address, callData: '0x', gasLimit }] } },
    }),
    from: accounts[0]?.address,
    signingScheme: 'eip1271',
    signature: '0x1234',
  })
  const path = `/${network.name}/api/v1/orders`
  const statuses = (gasLimit: string, address: string) =>
    untilRefused(clientAt(address), path, order(gasLimit))
  // Two units for the wallet, and two for each million of the hook.
  expect(await statuses('4000000', '198.51.100.9')).toEqual([...Array(10).fill(400), 429])
  expect((await statuses('100000', '198.51.100.10')).length).toBe(30)
})

/** An address, one of many, with code that uses up all gas that it gets. */
async function putBurner(index: number): Promise<Address> {
  const burner = address(`0xb0${index.toString(16).padStart(38, '0')}`)
  await world.chain.rpc.call('anvil_setCode', [burner, '0x5b600056'])
  return burner
}

/** The statuses of requests that name a new burner each, sent until one is refused. */
async function untilRefusedWithBurners(address: string, path: string, body: (burner: Address) => unknown) {
  const client = clientAt(address)
  const statuses: number[] = []
  while (statuses.length < 40 && !statuses.includes(429)) {
    statuses.push((await client(path, await body(await putBurner(++burners)))).status)
  }
  return statuses
}
let burners = 0

/** Six reads for the storage, and one of the balance: seven units of half a million gas, and the request. */
const trials = 100 / (7 + 1)

test('a quote counts the gas that the trial of a token used, for the client that began it', async () => {
  const { accounts, network, tokens } = world.market
  const quote = (buyToken: string) => ({
    sellToken: tokens.WETH.address,
    buyToken,
    from: accounts[0]?.address,
    kind: 'sell',
    sellAmountBeforeFee: `${10n ** 18n}`,
    priceQuality: 'optimal',
  })
  const path = `/${network.name}/api/v1/quote`
  const statuses = await untilRefusedWithBurners('198.51.100.11', path, quote)
  expect(statuses.length).toBeLessThan(trials + 2)
  expect(statuses.at(-1)).toBe(429)
  // A verdict that is known costs the node nothing.
  const known = await untilRefused(clientAt('198.51.100.12'), path, quote(await putBurner(1)))
  expect(known).toHaveLength(30)
})

test('an order counts the gas that the trial of its token used', async () => {
  const { market } = world
  const order = async (token: Address) => {
    const { tokens } = market
    const withToken = { ...market, tokens: { ...tokens, COW: { ...tokens.COW, address: token } } }
    const wish = { sell: 'WETH', buy: 'COW', sellAmount: 10n ** 18n, buyAmount: 1n } as const
    return createTrader(app.url ?? '', withToken).sign(wish)
  }
  const statuses = await untilRefusedWithBurners(
    '198.51.100.13',
    `/${market.network.name}/api/v1/orders`,
    order,
  )
  expect(statuses.length).toBeLessThan(trials + 2)
  expect(statuses.at(-1)).toBe(429)
})

/** Units of the gas that the account's code may use, and that of the factory which deploys it. */
const signers = [
  ['a contract wallet', '0x1234', 2],
  ['an account that is not deployed yet', wrapSignature(deployer, '0x00', '0x1234'), 10],
] as const

test.each(signers)('a sign-in by %s counts the gas that its code may use', async (_, signature, units) => {
  const wallet = await putBurner(++burners)
  const message = await createMessage(app.url ?? '', {
    address: getAddress(wallet),
    chainId: world.market.network.chainId,
    issuedAt: new Date().toISOString(),
  })
  const body = { message, signature }
  const statuses = await untilRefused(clientAt(`198.51.101.${units}`), '/sessions', body, 60)
  expect(statuses).toEqual([...Array(100 / units).fill(401), 429])
})

test.each(signers)('a code for %s counts the gas that its code may use', async (_, signature, units) => {
  const walletAddress = await putBurner(++burners)
  const body = { walletAddress, code: 'HOSTILE', signedMessage: signature }
  const client = clientAt(`198.51.102.${units}`)
  const statuses = await untilRefused(client, `/affiliate/${walletAddress}`, body, 60)
  expect(statuses).toEqual([...Array(100 / units).fill(401), 429])
})
