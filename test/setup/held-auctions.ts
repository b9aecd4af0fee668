import { randomBytes } from 'node:crypto'
import { AbiCoder, Interface, Wallet } from 'ethers'
import { expect } from 'vitest'
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
import { eventually } from './eventually.ts'
import type { Evm } from './evm.ts'
import { graphql, request } from './trader.ts'
import { startWorld } from './world.ts'

const ether = 10n ** 18n
const tokenAbi = new Interface(readArtifact('TestToken').abi)
const poolAbi = new Interface(readArtifact('Pool').abi)
const factoryAbi = new Interface(readArtifact('PoolFactory').abi)

interface Wish {
  sellToken?: Address
  buyToken?: Address
  sellAmount?: bigint
  buyAmount?: bigint
  /** A contract that accepts any signature, and owns the order. */
  wallet?: Address
  /** The appData document. */
  document?: string
}

/**
 * The program serves and indexes, and the test holds each auction. Tokens with oddities have pools, and traders
 * have WETH.
 */
export async function startHeldAuctions() {
  const world = await startWorld({ roles: ['serve', 'index'], environment: { FEE_POLICIES: '[]' } })
  const bank = address(world.market.accounts[4]?.address ?? '')
  const services = composed()

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
        const encoded = AbiCoder.defaultAbiCoder().encode(types, args)
        const at = address((await send(bank, undefined, `${bytecode}${encoded.slice(2)}`)).contractAddress)
        const contract = new Interface(abi)
        return {
          address: at,
          write: (method, values, from = bank) =>
            send(from, at, contract.encodeFunctionData(method, values)) as ReturnType<Evm['send']>,
          read: async () => undefined,
        }
      },
    }
  }

  const erc20 = (method: string, ...args: unknown[]) => tokenAbi.encodeFunctionData(method, args)

  /** Pays from the bank. */
  const pay = (token: Address, to: Address, amount: bigint) =>
    send(bank, token, erc20('transfer', to, amount))

  /** A token like this, and its pool of 100 WETH. */
  async function listed(
    name: OddName,
    reserve = 3_000_000n * ether,
    words: readonly (bigint | Address)[] = [],
  ) {
    const { network, tokens } = world.market
    const token = await deployOdd(evm() as Evm, name, words)
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
    await pay(tokens.WETH.address, pool, 100n * ether)
    await send(bank, pool, poolAbi.encodeFunctionData('mint', [bank]))
    return { ...token, pool }
  }

  /** From now on the pool refuses swaps that pay out more than this. */
  async function refuseAbove(pool: Address, max: bigint): Promise<void> {
    const { rpc } = world.chain
    const code = address(bytesToHex(randomBytes(20)))
    await rpc.call('anvil_setCode', [code, await rpc.call<Hex>('eth_getCode', [pool, 'latest'])])
    const limit = `7f${max.toString(16).padStart(64, '0')}`
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
    await pay(market.WETH.address, at, 40n * ether)
    for (const token of [market.WETH.address, ...tokens])
      await send(at, token, erc20('approve', network.vaultRelayer, maxUint256))
    return wallet
  }

  async function place(signer: Wallet, wish: Wish): Promise<string> {
    const { network, tokens } = world.market
    const { document = '{}', wallet } = wish
    const from = wallet ?? signer.address
    const order = {
      sellToken: wish.sellToken ?? tokens.WETH.address,
      buyToken: wish.buyToken ?? tokens.WETH.address,
      receiver: from,
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
      appData: document,
      appDataHash: order.appData,
      from,
      signingScheme: wallet ? 'eip1271' : 'eip712',
      signature: wallet ? '0x00' : signature,
    })
    expect({ status, body }).toEqual({ status: 201, body: expect.any(String) })
    return body
  }

  /**
   * Holds an auction on a new block, and resolves when the indexer has seen all of it.
   * @returns how many settlements it started
   */
  async function auction(): Promise<number> {
    await services.failedGas.refresh((await services.head()).number)
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

  return {
    world,
    bank,
    services,
    composed,
    evm,
    send,
    pay,
    listed,
    refuseAbove,
    trader,
    place,
    auction,
    auctions,
    afterPauses,
    statusOf,
    eventsOf,
    stands,
    [Symbol.asyncDispose]: () => world[Symbol.asyncDispose](),
  }
}

export type HeldAuctions = Awaited<ReturnType<typeof startHeldAuctions>>
export type Listed = Awaited<ReturnType<HeldAuctions['listed']>>
