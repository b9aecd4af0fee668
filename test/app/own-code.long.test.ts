import { randomBytes } from 'node:crypto'
import { Interface, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { composeNetwork, createSharedServices } from '../../src/app/network.ts'
import { runAuction } from '../../src/auctions/run.ts'
import type { AuctionServices } from '../../src/auctions/services.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import type { Hook } from '../../src/domain/app-data/document.ts'
import { type Address, address, nativeMarker } from '../../src/domain/evm/address.ts'
import { bytesToHex, type Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { orderTypes } from '../../src/domain/signing/signing.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { impersonate, permitHook, putWallet, readArtifact } from '../chain/contracts.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import { request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// The program serves and indexes; the test holds each auction.
const dai = 10n ** 18n
const tokenAbi = new Interface(readArtifact('TestToken').abi)
const walletAbi = new Interface(readArtifact('ContractWallet').abi)

let world: World
let services: AuctionServices
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'] })
  const settings = readSettings({ SOLVER_PRIVATE_KEY: world.market.solver.privateKey })
  const parts = composeNetwork(
    { network: world.market.network, rpcUrl: world.chain.rpcUrl },
    {
      ...createSharedServices({ settings, now: Date.now }),
      db: world.database.db,
      loopDb: world.database.db,
      settings,
      log: silentLog,
      now: Date.now,
      random: Math.random,
      policy: { deniedAccounts: new Set(), deniedTokens: new Set(), sameToken: 'disallow' },
      gateway: null,
    },
  )
  for (const node of parts.nodes.list) node.accept()
  services = parts.auctionServices
})
afterAll(() => world?.[Symbol.asyncDispose]())

const newAddress = () => address(bytesToHex(randomBytes(20)))
const newKey = () => new Wallet(bytesToHex(randomBytes(32)))
const daiToken = () => world.market.tokens.DAI.address

/** Sends from any account, and resolves when the transaction is mined. */
async function send(from: Address, to: Address, data: string): Promise<void> {
  const { rpc } = world.chain
  const hash = await rpc.call<Hex>('eth_sendTransaction', [{ from, to, data, gas: '0x100000' }])
  await rpc.call('evm_mine')
  expect(await rpc.call('eth_getTransactionReceipt', [hash])).toMatchObject({ status: '0x1' })
}

async function mint(to: Address, amount: bigint): Promise<void> {
  await send(
    address(world.market.accounts[4]?.address ?? ''),
    daiToken(),
    tokenAbi.encodeFunctionData('mint', [to, amount]),
  )
}

/** An account with this code, 1,000 DAI and an approval. */
async function fundedContract(code: Hex | { owner: Wallet }): Promise<Address> {
  const { rpc, market } = world.chain
  const at = newAddress()
  await impersonate(rpc, at)
  await mint(at, 1_000n * dai)
  await send(
    at,
    daiToken(),
    tokenAbi.encodeFunctionData('approve', [market.network.vaultRelayer, maxUint256]),
  )
  if (typeof code === 'string') await rpc.call('anvil_setCode', [at, code])
  else await putWallet(rpc, at, address(code.owner.address))
  return at
}

/** A hook that counts its calls. */
async function counter() {
  const at = newAddress()
  await world.chain.rpc.call('anvil_setCode', [at, '0x6001600054016000550000'])
  const calls = async () => Number(await world.chain.rpc.call<Hex>('eth_getStorageAt', [at, '0x0', 'latest']))
  const hook: Hook = { target: at, callData: '0x', gasLimit: 60_000n }
  return { hook, calls }
}

interface Settled {
  executions: [{ executedFee: string }]
}

interface Wish {
  signer: Wallet
  /** A contract wallet that owns the order instead of the signer. */
  wallet?: Address
  pre?: Hook[]
  post?: Hook[]
  sellAmount?: bigint
  buyAmount?: bigint
  partiallyFillable?: boolean
  buyToken?: Address
  receiver?: Address
}

/** Sells DAI for USDC. @returns the REST answer */
async function place({ signer, wallet, pre = [], post = [], ...terms }: Wish) {
  const { network, tokens } = world.market
  const toJson = (hooks: Hook[]) => hooks.map((hook) => ({ ...hook, gasLimit: hook.gasLimit.toString() }))
  const hooks = { pre: toJson(pre), post: toJson(post) }
  const document = JSON.stringify(pre.length + post.length > 0 ? { metadata: { hooks } } : {})
  const order = {
    sellToken: tokens.DAI.address,
    buyToken: terms.buyToken ?? tokens.USDC.address,
    receiver: terms.receiver ?? wallet ?? signer.address,
    sellAmount: (terms.sellAmount ?? 1_000n * dai).toString(),
    buyAmount: (terms.buyAmount ?? 900_000_000n).toString(),
    validTo: Math.floor(Date.now() / 1_000) + 1_200,
    appData: keccakText(document),
    feeAmount: '0',
    kind: 'sell',
    partiallyFillable: terms.partiallyFillable ?? false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const domain = {
    name: 'Gnosis Protocol',
    version: 'v2',
    chainId: network.chainId,
    verifyingContract: network.settlement,
  }
  const signature = await signer.signTypedData(domain, orderTypes, order)
  return request(`${world.url}/sepolia/api/v1/orders`, 'POST', {
    ...order,
    appData: document,
    appDataHash: order.appData,
    from: wallet ?? signer.address,
    signingScheme: wallet ? 'eip1271' : 'eip712',
    signature,
  })
}

async function placed(wish: Wish): Promise<string> {
  const { status, body } = await place(wish)
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

const order = async (uid: string) => (await request(`${world.url}/sepolia/api/v1/orders/${uid}`)).body
const report = async (uid: string) => (await request(`${world.url}/sepolia/api/v1/debug/order/${uid}`)).body
const eventsOf = async (uid: string): Promise<string[]> =>
  (await report(uid)).events.map(({ label, reason }: { label: string; reason?: string }) =>
    reason ? `${label} ${reason}` : label,
  )

/** Holds an auction on a new block, and resolves when the indexer has seen all of it. */
async function auction(): Promise<void> {
  await Promise.all(await runAuction(services, 16, new AbortController().signal))
  const { number } = await services.head()
  await eventually('the indexer has come so far', async () => (await indexed()) >= number)
  await world.chain.rpc.call('evm_mine')
}

async function indexed(): Promise<number> {
  return (await findCheckpoint(world.database.db, world.market.network.chainId))?.number ?? 0
}

/** Holds auctions until the order is filled. @returns their number */
async function auctionsUntilFilled(uid: string): Promise<number> {
  for (let held = 1; held <= 5; held++) {
    await auction()
    if ((await order(uid)).status === 'fulfilled') return held
  }
  throw new Error(`not filled: ${JSON.stringify(await report(uid))}`)
}

/** A plain account with DAI and an approval. */
async function fundedTrader(): Promise<Wallet> {
  const wallet = newKey()
  const at = address(wallet.address)
  await impersonate(world.chain.rpc, at)
  await mint(at, 1_000n * dai)
  const { vaultRelayer } = world.market.network
  await send(at, daiToken(), tokenAbi.encodeFunctionData('approve', [vaultRelayer, maxUint256]))
  return wallet
}

describe('hooks', () => {
  test('raise the fee of a quote by exactly their gas', async () => {
    const { tokens } = world.market
    const quoteWith = async (document: object) => {
      const { body } = await request(`${world.url}/sepolia/api/v1/quote`, 'POST', {
        sellToken: tokens.WETH.address,
        buyToken: tokens.USDC.address,
        from: newAddress(),
        kind: 'sell',
        sellAmountBeforeFee: (10n ** 18n).toString(),
        appData: JSON.stringify(document),
        // Simulated gas includes the hooks: only an estimate without simulation counts them separately.
        priceQuality: 'optimal',
      })
      return {
        fee: BigInt(body.quote.feeAmount),
        gasPrice: BigInt(body.quote.gasPrice),
        gas: body.quote.gasAmount,
      }
    }
    const hook = (gasLimit: string) => ({ target: newAddress(), callData: '0x', gasLimit })
    const plain = await quoteWith({})
    const hooked = await quoteWith({
      metadata: { hooks: { pre: [hook('300000')], post: [hook('1'), hook('99999')] } },
    })
    expect(hooked.gas).toBe(plain.gas)
    expect(plain.fee).toBe(BigInt(plain.gas) * plain.gasPrice)
    expect(hooked.fee).toBe((BigInt(plain.gas) + 400_000n) * hooked.gasPrice)
  })

  test('run before and after the trade, and a hook that reverts affects nothing else', async () => {
    const [before, after] = [await counter(), await counter()]
    const reverting: Hook = { target: newAddress(), callData: '0x', gasLimit: 50_000n }
    await world.chain.rpc.call('anvil_setCode', [reverting.target, '0x60006000fd'])
    const burning: Hook = { target: newAddress(), callData: '0x', gasLimit: 300_000n }
    await world.chain.rpc.call('anvil_setCode', [burning.target, '0x5b600056'])
    const uid = await placed({
      signer: await fundedTrader(),
      pre: [reverting, burning, before.hook],
      post: [reverting, burning, after.hook],
    })
    const { interactions } = await order(uid)
    const { hooksTrampoline } = world.market.network
    const call = { target: hooksTrampoline, value: '0', callData: expect.stringMatching(/^0x/) }
    expect(interactions).toEqual({ pre: [call], post: [call] })
    expect(await auctionsUntilFilled(uid)).toBe(1)
    expect([await before.calls(), await after.calls()]).toEqual([1, 1])
    // The order pays for the gas of its hooks: 820,000 units.
    const { auctions } = await report(uid)
    const gasPrice = await services.gasPrice()
    const inDollars = (820_000n * gasPrice * 3_000n * 99n) / 100n
    expect(BigInt(auctions[0].executions[0].executedFee)).toBeGreaterThan(inDollars)
  })

  test('may set the approval that the trade needs', async () => {
    const signer = newKey()
    await mint(address(signer.address), 1_000n * dai)
    const { chainId, vaultRelayer } = world.market.network
    const token = { chainId, token: daiToken(), name: 'Dai Stablecoin' }
    const refused = await place({ signer })
    expect(refused).toMatchObject({ status: 400, body: { errorType: 'InsufficientAllowance' } })
    const uid = await placed({
      signer,
      pre: [permitHook(token, signer.signingKey, vaultRelayer, maxUint256)],
    })
    expect(await auctionsUntilFilled(uid)).toBe(1)
  })

  test('before a partially fillable order run, and are charged, with its first fill only', async () => {
    const gasLimit = 900_000n
    const [before, after] = [await counter(), await counter()]
    const signer = await fundedTrader()
    const owner = address(signer.address)
    const [sellAmount, half] = [1_000n * dai, 500n * dai]
    const pre = [{ ...before.hook, gasLimit }]
    const uid = await placed({ signer, pre, post: [after.hook], partiallyFillable: true })
    const elsewhere = tokenAbi.encodeFunctionData('transfer', [newAddress(), half])
    await send(owner, daiToken(), elsewhere)
    await auction()
    expect(await order(uid)).toMatchObject({
      status: 'open',
      executedSellAmount: (sellAmount - half).toString(),
    })
    expect([await before.calls(), await after.calls()]).toEqual([1, 1])
    await mint(owner, half)
    expect(await auctionsUntilFilled(uid)).toBe(1)
    expect([await before.calls(), await after.calls()]).toEqual([1, 2])
    const { auctions } = await report(uid)
    const [first, second] = auctions.map(({ executions: [{ executedFee }] }: Settled) => BigInt(executedFee))
    const hookInDollars = gasLimit * (await services.gasPrice()) * 3_000n
    // Gas prices move a little from block to block.
    expect(first - second).toBeGreaterThan((hookInDollars * 9n) / 10n)
  })
})

describe('a contract wallet', () => {
  test('trades with its own kind of signature', async () => {
    const owner = newKey()
    const wallet = await fundedContract({ owner })
    const uid = await placed({ signer: owner, wallet })
    expect(await order(uid)).toMatchObject({ owner: wallet, signingScheme: 'eip1271' })
    expect(await auctionsUntilFilled(uid)).toBe(1)
    expect(await eventsOf(uid)).toEqual(['created', 'ready', 'executing', 'traded'])
  })

  test('whose signature is not valid any more takes the order out of the auctions', async () => {
    const owner = newKey()
    const wallet = await fundedContract({ owner })
    const uid = await placed({ signer: owner, wallet })
    await impersonate(world.chain.rpc, address(owner.address))
    await send(address(owner.address), wallet, walletAbi.encodeFunctionData('close'))
    await auction()
    expect(await eventsOf(uid)).toEqual(['created', 'invalid invalid_signature'])
    expect((await report(uid)).auctions).toEqual([])
  })
})

describe('a malicious wallet', () => {
  const yes = `7f1626ba7e${'00'.repeat(28)}`
  const answer = '60005260206000f3'
  /** Accepts signatures, except in calls of the solver. */
  const falseToSolver = () => `0x73${world.market.solver.address.slice(2)}321415${yes}02${answer}` as Hex
  /** Accepts signatures with little gas, and burns more gas if it gets it. */
  const burnsMuch = () => `0x620f42405a11603257${yes}${answer}5b603256` as Hex
  /** Accepts signatures only where gas has no price. */
  const falseOnChain = () => `0x3a15${yes}02${answer}` as Hex

  test.each([
    ['detects checks', falseToSolver, 1, 'invalid invalid_signature'],
    ['burns its gas', burnsMuch, 1, 'ready'],
    ['fails at the price of a transaction', falseOnChain, 1, 'invalid invalid_signature'],
  ] as const)(
    'that %s costs the orders beside it nothing, or one auction',
    async (_, code, auctions, ending) => {
      const owner = newKey()
      const harmful = await fundedContract(code())
      const wallet = await fundedContract({ owner })
      const trader = await fundedTrader()
      const bad = await placed({ signer: owner, wallet: harmful, buyAmount: 1n })
      const honest = [await placed({ signer: owner, wallet }), await placed({ signer: trader })]
      for (let held = 0; held < auctions; held++) await auction()
      const plain = await order(honest[1] ?? '')
      expect(plain.status).toBe('fulfilled')
      expect((await eventsOf(bad)).at(-1)).toBe(ending)
      expect((await order(bad)).status).toBe('open')
      if (ending.startsWith('invalid')) expect((await order(honest[0] ?? '')).status).toBe('fulfilled')
      await world.chain.rpc.call('anvil_setCode', [harmful, '0x'])
    },
  )
})

test('a receiver that refuses its coins costs the orders beside it nothing', async () => {
  const receiver = newAddress()
  await world.chain.rpc.call('anvil_setCode', [receiver, '0x60006000fd'])
  const coins = { buyToken: nativeMarker, buyAmount: dai / 10n }
  const bad = await placed({ signer: await fundedTrader(), ...coins, receiver })
  const honest = await placed({ signer: await fundedTrader(), ...coins })
  await auction()
  expect((await order(honest)).status).toBe('fulfilled')
  expect((await report(bad)).auctions).toEqual([])
})
