import { AbiCoder, concat, Interface } from 'ethers'
import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'
import { RpcError } from '../../src/chain/rpc/rpc.ts'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import { encodeSettle, encodeTrade } from '../../src/chain/settlement/call.ts'
import { endAnvil, findAnvil, launchAnvil } from '../../src/dev/chain/anvil.ts'
import { buildMarket } from '../../src/dev/market/build.ts'
import { readAbi } from '../../src/domain/evm/abi-reader.ts'
import { type Address, address, zeroAddress } from '../../src/domain/evm/address.ts'
import type { Bytes32, Hex } from '../../src/domain/evm/hex.ts'
import type { OrderData } from '../../src/domain/order/order.ts'
import { readOrder } from '../../src/domain/programmatic/encoded-order.ts'
import {
  blockTimestampFactory,
  composableCow,
  extensibleFallbackHandler,
} from '../../src/domain/programmatic/handlers.ts'
import { type ConditionalOrderParams, paramsId } from '../../src/domain/programmatic/params.ts'
import { silentLog } from '../fakes/silent-log.ts'
import { createTemporaryHome, removeTemporaryHome } from '../setup/home.ts'
import { readCompiled } from './compiled.ts'
import { readArtifact } from './contracts.ts'

export const composable = new Interface(readArtifact('ComposableCow').abi)
export const walletAbi = new Interface(readArtifact('SafeWallet').abi)
export const fallbackAbi = new Interface(readArtifact('ExtensibleFallbackHandler').abi)
const tokenAbi = new Interface(readArtifact('TestToken').abi)
const walletSignatureAbi = new Interface(['function isValidSignature(bytes32, bytes) view returns (bytes4)'])
const [scripted] = readCompiled('scripted-handler.sol', ['ScriptedHandler'])
if (!scripted) throw new Error('not compiled')
export const scriptedAbi = new Interface(scripted.abi)
export const scriptedCode = scripted.bytecode

/** Every error that a poll of a conditional order can end with. */
export const pollErrors = new Interface([
  'error OrderNotValid(string)',
  'error PollTryNextBlock(string)',
  'error PollTryAtBlock(uint256, string)',
  'error PollTryAtEpoch(uint256, string)',
  'error PollNever(string)',
  'error SingleOrderNotAuthed()',
  'error ProofNotAuthed()',
  'error SwapGuardRestricted()',
  'error InvalidHandler()',
  'error InvalidFallbackHandler()',
  'error InterfaceNotSupported()',
  'error InvalidHash()',
])

/** Calls of the contract of conditional orders. */
export const calls = {
  create: (params: ConditionalOrderParams, dispatch = true) =>
    composable.encodeFunctionData('create', [params, dispatch]),
  /** Creates an order with the time of the block in its cabinet. */
  createNow: (params: ConditionalOrderParams, dispatch = true) =>
    composable.encodeFunctionData('createWithContext', [params, blockTimestampFactory, '0x', dispatch]),
  remove: (params: ConditionalOrderParams) => composable.encodeFunctionData('remove', [paramsId(params)]),
  /** Sets a root, with its leaves if they are public. */
  setRoot: (root: Bytes32, leaves?: Hex) =>
    composable.encodeFunctionData('setRoot', [root, [leaves ? 1 : 0, leaves ?? '0x']]),
  /** The same, with the time of the block as the start of leaves without one. */
  setRootNow: (root: Bytes32, leaves: Hex) =>
    composable.encodeFunctionData('setRootWithContext', [root, [1, leaves], blockTimestampFactory, '0x']),
  setSwapGuard: (guard: Address) => composable.encodeFunctionData('setSwapGuard', [guard]),
  poll: (
    owner: Address,
    params: ConditionalOrderParams,
    proof: readonly Bytes32[] = [],
    offchainInput: Hex = '0x',
  ) => composable.encodeFunctionData('getTradeableOrderWithSignature', [owner, params, offchainInput, proof]),
}

/** A call that the wallets make. */
export interface WalletCall {
  target: Address
  value: bigint
  data: string
}
export const walletCall = (target: Address, data: string): WalletCall => ({ target, value: 0n, data })

interface Receipt {
  status: Hex
  gasUsed: Hex
  contractAddress: string
  logs: { address: string; topics: Hex[]; data: Hex }[]
}

type ConditionalStage = Awaited<ReturnType<typeof startConditionalStage>>

/** The local chain with its market, at a time of the test's choice. It mines on request only. */
async function startConditionalStage(genesisTime: number) {
  const home = createTemporaryHome()
  const anvil = await launchAnvil(findAnvil(undefined), {
    home,
    port: 0,
    genesisTime,
    log: silentLog,
    onSpawn() {},
  })
  const { rpc } = anvil
  const market = await buildMarket(anvil.rpcUrl, silentLog)
  await rpc.call('anvil_autoImpersonateAccount', [true])
  const { settlement, vaultRelayer } = market.network

  /** Mines a block with this time. */
  async function mineAt(time: number): Promise<void> {
    await rpc.call('evm_setNextBlockTimestamp', [time])
    await rpc.call('evm_mine')
  }

  /** Mines the transaction, in a block of the next second or of a given one. */
  async function send(from: Address, to: Address | undefined, data: string, time?: number): Promise<Receipt> {
    await rpc.call('anvil_setBalance', [from, toQuantity(10n ** 20n)])
    const transaction = { from, ...(to && { to }), data, gas: toQuantity(9_000_000) }
    const hash = await rpc.call<Hex>('eth_sendTransaction', [transaction])
    await mineAt(time ?? (await now()) + 1)
    return rpc.call<Receipt>('eth_getTransactionReceipt', [hash])
  }

  async function now(): Promise<number> {
    return Number((await rpc.call<{ timestamp: Hex }>('eth_getBlockByNumber', ['latest', false])).timestamp)
  }

  async function deploy(code: string, types: string[] = [], values: unknown[] = []): Promise<Address> {
    const data = concat([code, AbiCoder.defaultAbiCoder().encode(types, values)])
    const receipt = await send(market.accounts[0]?.address ?? zeroAddress, undefined, data)
    return address(receipt.contractAddress)
  }

  /** The data that the call returns or reverts with. */
  async function call(
    to: Address,
    data: string,
    from?: Address,
  ): Promise<{ data: Hex } | { revert: string }> {
    try {
      return { data: await rpc.call<Hex>('eth_call', [{ to, data, ...(from && { from }) }, 'latest']) }
    } catch (error) {
      if (!(error instanceof RpcError)) throw error
      return { revert: describeRevert(String(error.data ?? '0x')) }
    }
  }

  /** The order that can trade at the head, or why none can. */
  async function poll(...request: Parameters<typeof calls.poll>) {
    const answer = await call(composableCow, calls.poll(...request))
    if ('revert' in answer) return answer.revert
    const part = readAbi(answer.data, (tuple) => ({ order: readOrder(tuple), signature: tuple.bytes(2_000) }))
    if (!part) throw new Error(`not a part: ${answer.data}`)
    return part
  }

  /** The part of a poll that has one. */
  async function part(...request: Parameters<typeof calls.poll>) {
    const answer = await poll(...request)
    if (typeof answer === 'string') throw new Error(answer)
    return answer
  }

  return {
    rpc,
    rpcUrl: anvil.rpcUrl,
    market,
    now,
    mineAt,
    send,
    deploy,
    call,
    poll,
    part,
    /** Returns a wallet's answer to the settlement contract at the head. */
    async verdict(wallet: Address, digest: Bytes32, signature: Hex): Promise<string> {
      const data = walletSignatureAbi.encodeFunctionData('isValidSignature', [digest, signature])
      const answer = await call(wallet, data, settlement)
      return 'revert' in answer ? answer.revert : answer.data.slice(0, 10)
    },
    /** Lets the owner of a wallet make calls through it. */
    execute: (owner: Address, wallet: Address, calls: readonly WalletCall[], time?: number) =>
      send(owner, wallet, walletAbi.encodeFunctionData('execute', [calls]), time),
    /** A wallet like a Safe whose fallback handler has a verifier for the settlement contract. */
    async deploySafe(owner: Address): Promise<Address> {
      const types = ['address', 'address']
      const wallet = await deploy(readArtifact('SafeWallet').bytecode, types, [
        owner,
        extensibleFallbackHandler,
      ])
      const separator = await rpc.call<Hex>('eth_call', [
        { to: composableCow, data: composable.encodeFunctionData('domainSeparator') },
        'latest',
      ])
      const data = fallbackAbi.encodeFunctionData('setDomainVerifier', [separator, composableCow])
      await send(owner, wallet, walletAbi.encodeFunctionData('execute', [[walletCall(wallet, data)]]))
      return wallet
    },
    deployForwarder: (owner: Address) =>
      deploy(readArtifact('ForwarderWallet').bytecode, ['address', 'address'], [owner, composableCow]),
    deployScripted: () => deploy(scripted?.bytecode ?? '0x'),
    /** Mints a token of the market, other than the wrapped coin. */
    mint: (token: Address, to: Address, amount: bigint) =>
      send(market.solver.address, token, tokenAbi.encodeFunctionData('mint', [to, amount])),
    balance: async (token: Address, owner: Address): Promise<bigint> => {
      const answer = await call(token, tokenAbi.encodeFunctionData('balanceOf', [owner]))
      return 'data' in answer ? BigInt(answer.data) : 0n
    },
    approval: (token: Address) =>
      walletCall(token, tokenAbi.encodeFunctionData('approve', [vaultRelayer, 2n ** 256n - 1n])),
    /** Settles all of an order at its limit price, with what the settlement contract holds. */
    settle(owner: Address, order: OrderData, signature: Hex, time?: number): Promise<Receipt> {
      const signed = { ...order, owner, signingScheme: 'eip1271' as const, signature }
      const data = encodeSettle({
        tokens: [order.sellToken, order.buyToken],
        clearingPrices: [order.buyAmount, order.sellAmount],
        trades: [encodeTrade(signed, { sell: 0, buy: 1 }, order.sellAmount)],
        interactions: [[], [], []],
        auctionId: 1n,
      })
      return send(market.solver.address, settlement, data, time)
    },
    /** Runs `work` and then reverts the chain. */
    async trying<T>(work: () => Promise<T>): Promise<T> {
      const snapshot = await rpc.call('evm_snapshot')
      try {
        return await work()
      } finally {
        await rpc.call('evm_revert', [snapshot])
      }
    },
    async [Symbol.asyncDispose]() {
      await endAnvil(anvil)
      removeTemporaryHome(home)
    },
  }
}

/** Such as `PollTryAtEpoch(1800000000, too early)`, and the data as it is if no such error has it. */
export function describeRevert(data: string): string {
  const error = data.length < 10 ? null : pollErrors.parseError(data)
  return error ? `${error.name}(${error.args.map(String).join(', ')})` : data
}

/** The chain of a test file. Each of its tests begins with the market alone. */
export function onChain(genesisTime: number): () => ConditionalStage {
  let stage: ConditionalStage
  let snapshot: unknown
  beforeAll(async () => {
    stage = await startConditionalStage(genesisTime)
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())
  beforeEach(async () => {
    snapshot = await stage.rpc.call('evm_snapshot')
  })
  afterEach(() => stage.rpc.call('evm_revert', [snapshot]))
  return () => stage
}
