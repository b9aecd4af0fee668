import { randomBytes } from 'node:crypto'
import { Interface, Wallet } from 'ethers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readSettings } from '../../src/app/config.ts'
import { composeNetwork, createSharedServices } from '../../src/app/network.ts'
import { runAuction } from '../../src/auctions/run.ts'
import type { AuctionServices } from '../../src/auctions/services.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { type Address, address } from '../../src/domain/evm/address.ts'
import { bytesToHex, type Hex } from '../../src/domain/evm/hex.ts'
import { keccakText } from '../../src/domain/evm/keccak.ts'
import { orderTypes } from '../../src/domain/signing/signing.ts'
import { findCheckpoint } from '../../src/storage/chain/indexed-logs.ts'
import { impersonate, readArtifact } from '../chain/contracts.ts'
import { deployOdd, type OddName } from '../chain/odd-tokens.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { eventually } from '../setup/eventually.ts'
import type { Evm } from '../setup/evm.ts'
import { graphql, request } from '../setup/trader.ts'
import { startWorld, type World } from '../setup/world.ts'

// The program serves and indexes; the test holds each auction.
const ether = 10n ** 18n
const tokenAbi = new Interface(readArtifact('TestToken').abi)
const poolAbi = new Interface(readArtifact('Pool').abi)
const factoryAbi = new Interface(readArtifact('PoolFactory').abi)

let world: World
let services: AuctionServices
let bank: Address
beforeAll(async () => {
  world = await startWorld({ roles: ['serve', 'index'], environment: { FEE_POLICIES: '[]' } })
  bank = address(world.market.accounts[4]?.address ?? '')
  services = composed()
})
afterAll(() => world?.[Symbol.asyncDispose]())

function composed(): AuctionServices {
  const settings = readSettings({ SOLVER_PRIVATE_KEY: world.market.solver.privateKey, FEE_POLICIES: '[]' })
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
  return parts.auctionServices
}

/** Sends from any account, and resolves when the transaction is mined. */
async function send(from: Address, to: Address | undefined, data: string) {
  const { rpc } = world.chain
  const hash = await rpc.call<Hex>('eth_sendTransaction', [
    { from, ...(to && { to }), data, gas: '0x500000' },
  ])
  await rpc.call('evm_mine')
  const receipt = await rpc.call<{ status: Hex; contractAddress: string }>('eth_getTransactionReceipt', [
    hash,
  ])
  expect(receipt).toMatchObject({ status: '0x1' })
  return receipt
}

/** The part of a test node that deploys tokens, over the chain of the program. */
function evm(): Pick<Evm, 'deploy'> {
  return {
    async deploy({ bytecode, abi }, types = [], args = []) {
      const encoded = new Interface(abi).encodeDeploy([])
      expect([encoded, types, args]).toEqual(['0x', [], []])
      const at = address((await send(bank, undefined, bytecode)).contractAddress)
      const contract = new Interface(abi)
      return {
        address: at,
        write: (method, values, from = bank) =>
          send(from, at, contract.encodeFunctionData(method, values)) as never,
        read: async () => undefined,
      }
    },
  }
}

const erc20 = (method: string, ...args: unknown[]) => tokenAbi.encodeFunctionData(method, args)

/** A token like this, and its pool of 100 WETH. */
async function listed(name: OddName, reserve = 3_000_000n * ether) {
  const { network, tokens } = world.market
  const token = await deployOdd(evm() as Evm, name)
  await send(
    bank,
    network.poolFactory,
    factoryAbi.encodeFunctionData('createPair', [token.address, tokens.WETH.address]),
  )
  const [found] = factoryAbi.decodeFunctionResult(
    'getPair',
    await world.chain.rpc.call<Hex>('eth_call', [
      {
        to: network.poolFactory,
        data: factoryAbi.encodeFunctionData('getPair', [token.address, tokens.WETH.address]),
      },
      'latest',
    ]),
  )
  const pool = address(String(found))
  await token.write('mint', [pool, reserve])
  await send(bank, tokens.WETH.address, erc20('transfer', pool, 100n * ether))
  await send(bank, pool, poolAbi.encodeFunctionData('mint', [bank]))
  return { ...token, pool }
}

type Listed = Awaited<ReturnType<typeof listed>>

/** From now on the pool refuses swaps that pay out more than this. */
async function refuseAbove(pool: Address, most: bigint): Promise<void> {
  const { rpc } = world.chain
  const code = address(bytesToHex(randomBytes(20)))
  await rpc.call('anvil_setCode', [code, await rpc.call<Hex>('eth_getCode', [pool, 'latest'])])
  const limit = `7f${most.toString(16).padStart(64, '0')}`
  const isSwap = '60003560e01c63022c0d9f14'
  const isLarge = `${limit}60043511${limit}6024351117`
  const check = `${isSwap}${isLarge}1615`
  const refuse = '60006000fd'
  const forward = `5b3660006000376000600036600073${code.slice(2)}5af43d600060003e`
  const checked = (check.length + refuse.length) / 2 + 3
  const done = checked + forward.length / 2 + 7
  const jump = (target: number) => `60${target.toString(16).padStart(2, '0')}57`
  const ending = `${jump(done)}3d6000fd5b3d6000f3`
  await rpc.call('anvil_setCode', [pool, `0x${check}${jump(checked)}${refuse}${forward}${ending}`])
}

/** An account with WETH and approvals. */
async function trader(...tokens: Address[]): Promise<Wallet> {
  const wallet = new Wallet(bytesToHex(randomBytes(32)))
  const at = address(wallet.address)
  const { network, tokens: market } = world.market
  await impersonate(world.chain.rpc, at)
  await send(bank, market.WETH.address, erc20('transfer', at, 40n * ether))
  for (const token of [market.WETH.address, ...tokens])
    await send(at, token, erc20('approve', network.vaultRelayer, maxUint256))
  return wallet
}

interface Wish {
  sellToken?: Address
  buyToken?: Address
  sellAmount?: bigint
  buyAmount?: bigint
}

async function place(signer: Wallet, wish: Wish): Promise<string> {
  const { network, tokens } = world.market
  const document = '{}'
  const order = {
    sellToken: wish.sellToken ?? tokens.WETH.address,
    buyToken: wish.buyToken ?? tokens.WETH.address,
    receiver: signer.address,
    sellAmount: (wish.sellAmount ?? ether).toString(),
    buyAmount: (wish.buyAmount ?? ether).toString(),
    validTo: Math.floor(Date.now() / 1_000) + 3_600,
    appData: keccakText(document),
    feeAmount: '0',
    kind: 'sell',
    partiallyFillable: false,
    sellTokenBalance: 'erc20',
    buyTokenBalance: 'erc20',
  }
  const { chainId, settlement: verifyingContract } = network
  const domain = { name: 'Gnosis Protocol', version: 'v2', chainId, verifyingContract }
  const signature = await signer.signTypedData(domain, orderTypes, order)
  const { status, body } = await request(`${world.url}/sepolia/api/v1/orders`, 'POST', {
    ...order,
    ...{
      appData: document,
      appDataHash: order.appData,
      from: signer.address,
      signingScheme: 'eip712',
      signature,
    },
  })
  expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
  return body
}

/**
 * Holds an auction on a new block, and resolves when the indexer has seen all of it.
 * @returns how many settlements it started
 */
async function auction(): Promise<number> {
  const settlements = await runAuction(services, 16, new AbortController().signal)
  await Promise.all(settlements)
  const { number } = await services.head()
  await eventually('the indexer has come so far', async () => (await indexed()) >= number)
  await world.chain.rpc.call('evm_mine')
  return settlements.length
}

async function auctions(count: number): Promise<number> {
  let settlements = 0
  for (let held = 0; held < count; held++) settlements += await auction()
  return settlements
}

async function indexed(): Promise<number> {
  return (await findCheckpoint(world.database.db, world.market.network.chainId))?.number ?? 0
}

/** Mines until no pause is left, and holds an auction. */
async function afterPauses(): Promise<number> {
  await world.chain.rpc.call('anvil_mine', ['0x41'])
  return auction()
}

const statusOf = async (uid: string) =>
  (await request(`${world.url}/sepolia/api/v1/orders/${uid}`)).body.status
const eventsOf = async (uid: string): Promise<string[]> =>
  (await request(`${world.url}/sepolia/api/v1/debug/order/${uid}`)).body.events.map(
    ({ label }: { label: string }) => label,
  )

async function stands(uid: string) {
  const { order } = await graphql(
    world.url,
    `query ($uid: OrderUid!) { order(network: SEPOLIA, uid: $uid) {
      standing { isInAuctions reason failingToken failingPool failure }
      diagnosis { code summary evidence { __typename ... on TokenEvidence { token { address } } ... on PoolEvidence { pool } } } } }`,
    { uid },
  )
  return order
}

/** What a trade names that fails apart from the order. */
const named = (failing: { token: Address } | { pool: Address }, failure: string) => {
  const isToken = 'token' in failing
  return {
    standing: {
      ...{ isInAuctions: !isToken, reason: isToken ? 'SETTLEMENT_FAILED' : null, failure },
      ...{ failingToken: isToken ? failing.token : null, failingPool: isToken ? null : failing.pool },
    },
    diagnosis: {
      code: 'TRADES_FAIL',
      summary: `Trades ${isToken ? `of the token ${failing.token}` : `through the pool ${failing.pool}`} fail: ${failure}.`,
      evidence: [
        isToken
          ? { __typename: 'TokenEvidence', token: { address: failing.token } }
          : { __typename: 'PoolEvidence', pool: failing.pool },
        { __typename: 'RevertEvidence' },
      ],
    },
  }
}

const plenty = 1_000n * ether

test('an order that is filled at exactly its limit, since its token has no decimals, wins with a score of 0', async () => {
  const token = await listed('PlainToken', 300n)
  const uid = await place(await trader(), { buyToken: token.address, buyAmount: 2n })
  expect(await auctions(1)).toBe(1)
  expect(await request(`${world.url}/sepolia/api/v1/orders/${uid}`)).toMatchObject({
    body: { status: 'fulfilled', executedBuyAmount: '2' },
  })
  const { order } = await graphql(
    world.url,
    `query ($uid: OrderUid!) { order(network: SEPOLIA, uid: $uid) {
      auctions(first: 1) { nodes { solutions { score isWinner } } } } }`,
    { uid },
  )
  expect(order.auctions.nodes).toEqual([{ solutions: [{ score: '0', isWinner: true }] }])
})

describe('a settlement that fails with no order at fault', () => {
  test('because a pool cannot pay out a token that returns nothing pauses the pool', async () => {
    const token = await listed('SilentToken')
    const signer = await trader()
    const uid = await place(signer, { buyToken: token.address, buyAmount: plenty })
    expect(await auctions(12)).toBe(0)
    expect(await stands(uid)).toEqual(named({ pool: token.pool }, 'reverted'))
    expect(await eventsOf(uid)).toEqual(['created', 'ready'])
    // An order that comes later is never tried in vain, and is not blamed.
    const later = await place(await trader(), { buyToken: token.address, buyAmount: 2n * plenty })
    await auction()
    expect((await stands(later)).diagnosis.code).toBe('TRADES_FAIL')
  })

  test.each([
    ['is paused', 'cannot be transferred', (token: Listed) => token.write('setPaused', [true])],
    [
      'blocks the settlement contract',
      'StrictToken: no',
      (token: Listed) => token.write('freeze', [world.market.network.settlement]),
    ],
    [
      'returns false from now on',
      'cannot be transferred',
      async (token: Listed) => {
        const { address: model } = await deployOdd(evm() as Evm, 'FalseToken')
        const code = await world.chain.rpc.call<Hex>('eth_getCode', [model, 'latest'])
        await world.chain.rpc.call('anvil_setCode', [token.address, code])
      },
    ],
  ])('because a token %s pauses the token, whoever buys or sells it', async (_, failure, spoil) => {
    const token = await listed('StrictToken')
    const [buyer, seller, other] = [await trader(), await trader(token.address), await trader()]
    await token.write('mint', [seller.address, 10_000n * ether])
    const { USDC } = world.market.tokens
    const orders = [
      await place(buyer, { buyToken: token.address, buyAmount: plenty }),
      await place(seller, { sellToken: token.address, sellAmount: 9_000n * ether, buyAmount: ether / 10n }),
    ]
    await spoil(token)
    const beside = await place(other, { buyToken: USDC.address, buyAmount: 2_000_000_000n })
    expect(await auctions(1)).toBe(1)
    expect(await statusOf(beside)).toBe('fulfilled')
    expect(await auctions(7)).toBe(0)
    for (const uid of orders) expect(await stands(uid)).toEqual(named({ token: token.address }, failure))
    for (const uid of orders) expect(await eventsOf(uid)).not.toContain('executing')
  })

  test('tries a token again by itself, and trades it once it works', async () => {
    const token = await listed('StrictToken')
    const uid = await place(await trader(), { buyToken: token.address, buyAmount: plenty })
    await token.write('setPaused', [true])
    expect(await auctions(6)).toBe(0)
    await token.write('setPaused', [false])
    expect(await afterPauses()).toBe(1)
    expect(await statusOf(uid)).toBe('fulfilled')
    expect(await eventsOf(uid)).toEqual(['created', 'ready', 'executing', 'traded'])
  })

  test('because a pool refuses large amounts pauses the order alone', async () => {
    const token = await listed('PlainToken')
    await refuseAbove(token.pool, 100_000n * ether)
    const large = await place(await trader(), {
      ...{ buyToken: token.address, sellAmount: 10n * ether, buyAmount: 100n * plenty },
    })
    expect(await auctions(4)).toBe(0)
    expect(await stands(large)).toMatchObject({
      standing: { isInAuctions: false, reason: 'SETTLEMENT_FAILED', failingPool: token.pool },
      diagnosis: { code: 'TRADES_FAIL' },
    })
    const small = await place(await trader(), { buyToken: token.address, buyAmount: plenty })
    // It may share a settlement with the large one first, which then waits longer.
    await auctions(8)
    expect(await statusOf(small)).toBe('fulfilled')
  })

  test('because the buy token refuses the receiver pauses that order alone', async () => {
    const token = await listed('StrictToken')
    const [blocked, other] = [await trader(), await trader()]
    await token.write('freeze', [blocked.address])
    const refused = await place(blocked, { buyToken: token.address, buyAmount: plenty })
    const beside = await place(other, { buyToken: token.address, buyAmount: plenty })
    await auctions(6)
    expect(await statusOf(beside)).toBe('fulfilled')
    expect((await stands(refused)).diagnosis).toMatchObject({
      code: 'SETTLEMENT_REVERTS',
      summary: 'A settlement of the order alone fails: StrictToken: no.',
    })
    expect(await eventsOf(refused)).toEqual(['created', 'ready'])
  })
})
