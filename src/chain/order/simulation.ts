import { createLimiter } from '../../concurrency/limiter.ts'
import { maxOf, maxUint256 } from '../../domain/amount.ts'
import { Refusal } from '../../domain/errors/error.ts'
import { type Address, address, nativeMarker } from '../../domain/evm/address.ts'
import { type Hex, hexToBytes } from '../../domain/evm/hex.ts'
import { keccakHex, keccakText } from '../../domain/evm/keccak.ts'
import type {
  OrderSimulation,
  SimulatedOrder,
  SimulationUse,
  StateOverride,
} from '../../domain/evm/simulation.ts'
import type { Network } from '../../domain/network/network.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { orderUid } from '../../domain/signing/signing.ts'
import { uintWord } from '../../domain/signing/typed-data.ts'
import { revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, available, isExecutionFault, isTimeout, toQuantity } from '../rpc/wire.ts'
import { encodeSettle, encodeTrade, type SettledOrder } from '../settlement/call.ts'
import { simulatedHooks } from '../settlement/hook-calls.ts'
import type { FindTokenSlots } from '../token/slots.ts'
import { readAuthenticator } from '../trade/call.ts'
import { alwaysTrueCode } from '../trade/check.ts'

/**
 * Simulates a settlement of the remaining order at its limit price. Signature, funds and hooks are the
 * order's own; the solver and its funds are simulated.
 * @param block null is the newest
 * @param use default: neither
 * @throws Refusal NotFound for a block that the node does not have; Outage if the node does not answer, or
 *   too many wait
 */
export type SimulateOrder = (
  order: SimulatedOrder,
  block: number | null,
  use?: SimulationUse,
) => Promise<OrderSimulation>

interface OrderSimulationOptions {
  /** The client of the node. Its timeout limits a settlement. It must not retry. */
  rpc: Rpc
  network: Network
  slots: FindTokenSlots
  /** The number of concurrent simulations. Four times as many may wait. */
  atOnce?: number
}

/** An unused address. */
const solver = address('0x501e501e501e501e501e501e501e501e501e501e')
/** A balance above nearly all real amounts that fits tokens that count in 96 bits. */
const ampleBalance = 2n ** 95n

export function createOrderSimulation({
  rpc,
  network,
  slots,
  atOnce = 4,
}: OrderSimulationOptions): SimulateOrder {
  const enqueue = createLimiter({ what: 'the simulation of orders', running: atOnce, waiting: 4 * atOnce })

  async function simulate(
    order: SimulatedOrder,
    block: number | null,
    { tracesHooks, fundsOwner }: SimulationUse,
  ): Promise<OrderSimulation> {
    if (block !== null) await requireBlock(rpc, block)
    const [authenticator, funds, ownFunds] = await Promise.all([
      readAuthenticator(rpc, network),
      fundsFor(order, network, slots),
      fundsOwner ? ownerFunds(order, network, slots) : {},
    ])
    const simulation = {
      block,
      from: solver,
      to: network.settlement,
      input: encodeAlone(order),
      gas: Number(maxTransactionGas - 1n),
      overrides: merged([
        { [authenticator]: { code: alwaysTrueCode } },
        funds ?? {},
        ownFunds,
        order.signature === null ? signedOnChain(order, network) : {},
      ]),
    }
    const call = toCall(simulation)
    const error = await failureOf(rpc, call)
    const hooks = tracesHooks && error === null ? await simulatedHooks(rpc, network, call) : null
    const isFunded = funds !== undefined
    const failure = error === null || isFunded ? error : `${error} (${noFunds})`
    return { ...simulation, isFunded, hooks, error: failure }
  }

  return (order, block, use = { tracesHooks: false, fundsOwner: false }) =>
    enqueue(() => simulate(order, block, use))
}

const noFunds =
  'how the buy token stores balances is not known, so the made-up solver may have had nothing to pay'

async function requireBlock(rpc: Rpc, block: number): Promise<void> {
  const found = await available(rpc.call('eth_getBlockByNumber', [toQuantity(block), false]))
  if (found === null)
    throw new Refusal('NotFound', `the network has no block ${block}`, { field: 'blockNumber' })
}

/** The funds that the settlement contract pays with; undefined if it is unknown how to provide them. */
async function fundsFor(
  { buyToken, buyAmount }: SimulatedOrder,
  { settlement }: Network,
  slots: FindTokenSlots,
): Promise<Record<Address, StateOverride> | undefined> {
  const amount = maxOf(buyAmount, ampleBalance)
  if (buyToken === nativeMarker) return { [settlement]: { balance: toQuantity(amount) } }
  const { balance } = await slots(buyToken, true)
  return balance && { [buyToken]: { stateDiff: { [balance(settlement)]: uintWord(amount) } } }
}

/** The sold tokens and their allowance, as far as it is known how to provide them. */
async function ownerFunds(
  { owner, sellToken, sellAmount, feeAmount }: SimulatedOrder,
  { vaultRelayer }: Network,
  slots: FindTokenSlots,
): Promise<Record<Address, StateOverride>> {
  const { balance, allowance } = await slots(sellToken, true)
  const funds = uintWord(maxOf(sellAmount + feeAmount, ampleBalance))
  const stateDiff = {
    ...(balance && { [balance(owner)]: funds }),
    ...(allowance && { [allowance(owner, vaultRelayer)]: uintWord(maxUint256) }),
  }
  return { [sellToken]: { stateDiff } }
}

/** Combines the overrides of each account. */
function merged(all: readonly Record<Address, StateOverride>[]): Record<Address, StateOverride> {
  const result: Record<Address, StateOverride> = {}
  for (const [account, own] of all.flatMap((each) => Object.entries(each) as [Address, StateOverride][])) {
    const stateDiff = { ...result[account]?.stateDiff, ...own.stateDiff }
    const slots = Object.keys(stateDiff).length > 0 && { stateDiff }
    result[account] = { ...result[account], ...own, ...slots }
  }
  return result
}

const isPresigned = keccakText('GPv2Signing.Scheme.PreSign')
/** The slot of the mapping from UIDs to on-chain signatures. */
const presignatureSlot = '00'.repeat(32)

/** The state in which the settlement contract finds the order signed on chain. */
function signedOnChain(order: SimulatedOrder, network: Network): Record<Address, StateOverride> {
  const key = `${orderUid(network, order, order.owner)}${presignatureSlot}` as Hex
  return { [network.settlement]: { stateDiff: { [keccakHex(hexToBytes(key))]: isPresigned } } }
}

/**
 * The settlement at the limit price. A filled order is encoded whole, so that the contract reports it as
 * filled.
 */
function encodeAlone(order: SimulatedOrder): Hex {
  const { sellToken, buyToken, sellAmount, buyAmount, kind, filled, interactions } = order
  const total = kind === 'sell' ? sellAmount : buyAmount
  const executed = filled < total ? total - filled : total
  const signed: SettledOrder =
    order.signature === null
      ? { ...order, signingScheme: 'presign', signature: '0x' }
      : { ...order, signature: order.signature }
  return encodeSettle({
    tokens: [sellToken, buyToken],
    clearingPrices: [buyAmount, sellAmount],
    trades: [encodeTrade(signed, { sell: 0, buy: 1 }, executed)],
    interactions: [filled === 0n ? interactions.pre : [], [], interactions.post],
    auctionId: 0n,
  })
}

/** The parameters of a call to the node. */
function toCall({
  block,
  from,
  to,
  input,
  gas,
  overrides,
}: Omit<OrderSimulation, 'error' | 'isFunded' | 'hooks'>) {
  const call = { from, to, gas: toQuantity(gas), gasPrice: '0x0', data: input }
  return [call, block === null ? 'latest' : toQuantity(block), overrides] as const
}

/**
 * The reason for the failure; null if the settlement would succeed. Another request distinguishes code that
 * takes too long from a node that does not answer.
 */
async function failureOf(rpc: Rpc, call: ReturnType<typeof toCall>) {
  try {
    await rpc.call('eth_call', call)
    return null
  } catch (fault) {
    if (isExecutionFault(fault)) return revertText(fault)
    if (!isTimeout(fault)) throw asOutage(fault)
    await available(rpc.call('eth_chainId'))
    return 'the settlement does not end in time'
  }
}
