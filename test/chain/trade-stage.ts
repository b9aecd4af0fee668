import { Interface } from 'ethers'
import { toQuantity } from '../../src/chain/rpc/wire.ts'
import type { FindTokenSlots } from '../../src/chain/token/slots.ts'
import { fabricateSettlement } from '../../src/chain/trade/call.ts'
import { createTradeCheck, type TradeQuestion } from '../../src/chain/trade/check.ts'
import {
  authenticatorAbi,
  authenticatorAddress,
  settlementAddress,
  settlementDeployments,
  vaultRelayerAddress,
} from '../../src/dev/chain/settlement-contracts.ts'
import { maxUint256 } from '../../src/domain/amount.ts'
import { type Address, address, nativeMarker } from '../../src/domain/evm/address.ts'
import type { Hex } from '../../src/domain/evm/hex.ts'
import type { Interaction } from '../../src/domain/order/order.ts'
import { swapCall, transferCall, unwrapCall } from '../../src/domain/settlement/calldata.ts'
import { addressWord, hashWords, uintWord } from '../../src/domain/signing/typed-data.ts'
import { createNetwork, type Evm, startEvm } from '../setup/evm.ts'
import { deployToken, impersonate, putTrampoline, readArtifact } from './contracts.ts'

export const ether = 10n ** 18n

interface StagePool {
  address: Address
  reserves: Map<Address, bigint>
}

/** Swaps along one path, with the pool contract's own rounding. */
interface Walk {
  interactions: Interaction[]
  amountOut: bigint
}

/** In every token of this repository, `balanceOf` is the first storage slot and `allowance` the second. */
export const localSlots: FindTokenSlots = async () => ({
  balance: (owner) => hashWords(addressWord(owner), uintWord(0n)),
  allowance: (owner, spender) => hashWords(addressWord(spender), hashWords(addressWord(owner), uintWord(1n))),
  isComputed: false,
})
export const unknownSlots: FindTokenSlots = async () => ({
  balance: undefined,
  allowance: undefined,
  isComputed: false,
})

export type TradeStage = Awaited<ReturnType<typeof startTradeStage>>

/**
 * The real settlement contracts, tokens a, b, c, d and fee, the wrapped coin, and pools a–b, b–c, c–d, a–c,
 * c–wrapped, a–fee, fee–b.
 */
export async function startTradeStage() {
  const evm = await startEvm()
  const network = createNetwork({
    settlement: settlementAddress,
    vaultRelayer: vaultRelayerAddress,
    hooksTrampoline: address('0x60Bf78233f48eC42eE3F101b9a05eC7878728006'),
    wrappedNative: address(`0x${'c0'.repeat(20)}`),
  })
  for (const deployment of settlementDeployments()) await evm.send(deployment)
  await allowSolver(evm)
  await putTrampoline(evm.rpc, network.hooksTrampoline, network.settlement)
  await evm.rpc.call('anvil_setCode', [network.wrappedNative, readArtifact('WrappedNative').deployedBytecode])
  await evm.rpc.call('anvil_setBalance', [network.wrappedNative, toQuantity(1_000_000n * ether)])
  const token = async (contract?: 'FeeToken') => (await deployToken(evm, contract)).address
  const tokens = {
    a: await token(),
    b: await token(),
    c: await token(),
    d: await token(),
    fee: await token('FeeToken'),
    wrapped: network.wrappedNative,
  }
  const give = giver(evm, network.wrappedNative)
  const factory = await evm.deploy(readArtifact('PoolFactory'))
  const pools: StagePool[] = []
  async function addPool(one: Address, amountOne: bigint, other: Address, amountOther: bigint) {
    await factory.write('createPair', [one, other])
    const pool = address(String(await factory.read('getPair', [one, other])))
    await give(one, pool, amountOne)
    await give(other, pool, amountOther)
    const data = new Interface(readArtifact('Pool').abi).encodeFunctionData('mint', [evm.account])
    await evm.send({ to: pool, data })
    pools.push({
      address: pool,
      reserves: new Map([
        [one, amountOne],
        [other, amountOther],
      ]),
    })
  }
  await addPool(tokens.a, 1_000n * ether, tokens.b, 2_000n * ether)
  await addPool(tokens.b, 3_000n * ether, tokens.c, 1_000n * ether)
  await addPool(tokens.c, 700n * ether, tokens.d, 900n * ether)
  await addPool(tokens.a, 500n * ether, tokens.c, 300n * ether)
  await addPool(tokens.c, 2_000n * ether, tokens.wrapped, 500n * ether)
  await addPool(tokens.a, 100n * ether, tokens.fee, 100n * ether)
  await addPool(tokens.fee, 100n * ether, tokens.b, 100n * ether)

  function walk(path: readonly Address[], amountIn: bigint): Walk {
    const { settlement } = network
    const interactions: Interaction[] = []
    let amount = amountIn
    const hops = path.slice(1).map((tokenOut, index) => ({ tokenIn: path[index] as Address, tokenOut }))
    const found = hops.map(({ tokenIn, tokenOut }) => {
      const pool = pools.find(({ reserves }) => reserves.has(tokenIn) && reserves.has(tokenOut))
      if (!pool) throw new Error('no such pool')
      return pool
    })
    for (const [index, { tokenIn, tokenOut }] of hops.entries()) {
      const pool = found[index] as StagePool
      if (index === 0) interactions.push(transferCall(tokenIn, pool.address, amount))
      amount = outputDown(pool, tokenIn, tokenOut, amount)
      const [out0, out1] = BigInt(tokenOut) < BigInt(tokenIn) ? [amount, 0n] : [0n, amount]
      interactions.push(swapCall(pool.address, out0, out1, found[index + 1]?.address ?? settlement))
    }
    return { interactions, amountOut: amount }
  }

  return {
    evm,
    network,
    tokens,
    give,
    walk,
    check: createTradeCheck({ rpc: evm.rpc, network, slots: localSlots }),
    balance: (token: Address, owner: Address) => balanceOf(evm, token, owner),
    /** Runs `work` and then reverts the chain. */
    async trying<T>(work: () => Promise<T>): Promise<T> {
      const snapshot = await evm.rpc.call('evm_snapshot')
      try {
        return await work()
      } finally {
        await evm.rpc.call('evm_revert', [snapshot])
      }
    },
    /**
     * Sends the settlement that the check fabricates, for a trader with the needed balance.
     * @returns gas used
     */
    async settle(question: TradeQuestion): Promise<bigint> {
      const { from, sellToken, sellAmount, buyToken, buyAmount } = question
      const unwrap = buyToken === nativeMarker ? [unwrapCall(network.wrappedNative, buyAmount)] : []
      const interactions = [
        question.preInteractions,
        [...question.interactions, ...unwrap],
        question.postInteractions,
      ] as const
      const settlement = fabricateSettlement({ ...question, owner: from, interactions }, network)
      if (!settlement) throw new Error('not to be settled')
      await impersonate(evm.rpc, from)
      await give(sellToken, from, 10n * sellAmount)
      const approve = erc20.encodeFunctionData('approve', [network.vaultRelayer, maxUint256])
      await evm.send({ to: sellToken, from, data: approve })
      const sign = signing.encodeFunctionData('setPreSignature', [settlement.orderUid, true])
      await evm.send({ to: network.settlement, from, data: sign })
      const receipt = await evm.send({ to: network.settlement, data: settlement.calldata })
      return BigInt((receipt as unknown as { gasUsed: Hex }).gasUsed)
    },
    [Symbol.asyncDispose]: () => evm[Symbol.asyncDispose](),
  }
}

const erc20 = new Interface([
  'function approve(address spender, uint256 value)',
  'function balanceOf(address owner) view returns (uint256)',
  'function mint(address to, uint256 value)',
])
const signing = new Interface(['function setPreSignature(bytes orderUid, bool signed)'])

async function allowSolver(evm: Evm): Promise<void> {
  const call = { to: authenticatorAddress, data: authenticatorAbi.encodeFunctionData('manager') }
  const returned = await evm.rpc.call<Hex>('eth_call', [call, 'latest'])
  const manager = address(String(authenticatorAbi.decodeFunctionResult('manager', returned)[0]))
  await impersonate(evm.rpc, manager)
  const data = authenticatorAbi.encodeFunctionData('addSolver', [evm.account])
  await evm.send({ to: authenticatorAddress, from: manager, data })
}

/** Adds to an account's balance of a token. */
function giver(evm: Evm, wrapped: Address) {
  return async (token: Address, to: Address, amount: bigint): Promise<void> => {
    if (token !== wrapped) {
      await evm.send({ to: token, data: erc20.encodeFunctionData('mint', [to, amount]) })
      return
    }
    const { balance } = await localSlots(token)
    const held = await balanceOf(evm, token, to)
    await evm.rpc.call('anvil_setStorageAt', [token, balance?.(to), uintWord(held + amount)])
  }
}

async function balanceOf(evm: Evm, token: Address, owner: Address): Promise<bigint> {
  const data = erc20.encodeFunctionData('balanceOf', [owner])
  return BigInt(await evm.rpc.call<Hex>('eth_call', [{ to: token, data }, 'latest']))
}

/** The most that the pool contract pays for this input. */
function outputDown({ reserves }: StagePool, tokenIn: Address, tokenOut: Address, amountIn: bigint): bigint {
  const [reserveIn = 0n, reserveOut = 0n] = [reserves.get(tokenIn), reserves.get(tokenOut)]
  return (amountIn * 997n * reserveOut) / (reserveIn * 1000n + amountIn * 997n)
}
