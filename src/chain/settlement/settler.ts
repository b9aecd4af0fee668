import { maxOf, minOf } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { revertReason, revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, isExecutionFault, parseQuantity, toQuantity } from '../rpc/wire.ts'
import { readFees, replacementFees } from '../transaction/fees.ts'
import { createReceiptWatch, pollEvery, type ReceiptPoll } from '../transaction/receipt-watch.ts'
import { createTransactions, type Receipt, type SignedTransaction } from '../transaction/transactions.ts'

export type Simulation = { gas: bigint } | { revert: string }

/** `block` is where it happened: the receipt's block, else the newest block when it was given up. */
export type SettlementOutcome =
  /** On chain. Also when it came late, in a block behind the deadline, before it could be cancelled. */
  | { outcome: 'success'; txHash: Bytes32; block: number }
  /** Not on chain at the deadline; cancelled as far as that was possible. */
  | { outcome: 'timeout'; txHash: Bytes32; block: number }
  /** Refused, or reverted on chain. Without `txHash` nothing was sent. */
  | { outcome: 'failed'; reason: string; txHash?: Bytes32; block: number }

export interface SubmitLimits {
  /** Last block that the settlement may be in. */
  deadlineBlock: number
  /** Gives up early: what is pending is cancelled. */
  signal?: AbortSignal
  /** Gas beside what the simulation takes: what runs in the settlement may take more when it comes to it. */
  extraGas?: bigint
}

/** Sends settlements from one account in the order they came; any number may be on their way. */
export interface Settler {
  address: Address
  /** @throws Outage when the node does not say either */
  simulate(calldata: Hex): Promise<Simulation>
  /**
   * Plays it at the newest block with this much gas, as if the settlement contract had `purse` in native coin, where that is given.
   * @returns why it reverts; `undefined` when it does not
   * @throws Outage when the node does not say either
   */
  dryRun(calldata: Hex, gas: bigint, purse?: bigint): Promise<string | undefined>
  /** @throws Outage when the node is away before anything was sent; later it is waited for */
  submit(calldata: Hex, limits: SubmitLimits): Promise<SettlementOutcome>
}

export interface SettlerOptions {
  rpc: Rpc
  network: Network
  privateKey: Hex
  log: Log
  poll?: ReceiptPoll
}

/** On its way, sent when `block` was the newest. */
interface Sent {
  transaction: SignedTransaction
  block: number
}

/** Blocks that a cancellation gets to make it. */
const cancelBlocks = 3
/** Beside the block times until a deadline; bounds the wait on a chain that stands still. */
const graceMs = 60_000
const transferGas = 21_000n

export function createSettler(options: SettlerOptions): Settler {
  const { rpc, network, log } = options
  const transactions = createTransactions(rpc, network.chainId, options.privateKey, log)
  const { sender } = transactions
  const watch = createReceiptWatch(transactions, options.poll ?? pollEvery(network.blockTimeMs / 4), log)
  let queue: Promise<unknown> = Promise.resolve()

  async function simulate(calldata: Hex): Promise<Simulation> {
    const call = { from: sender, to: network.settlement, data: calldata }
    try {
      return { gas: parseQuantity(await rpc.call('eth_estimateGas', [call])) }
    } catch (fault) {
      if (isExecutionFault(fault)) return { revert: revertText(fault) }
      throw asOutage(fault)
    }
  }

  async function dryRun(data: Hex, gas: bigint, purse?: bigint): Promise<string | undefined> {
    const { settlement: to } = network
    const call = [{ from: sender, to, data, gas: toQuantity(gas) }, 'latest']
    const overrides = purse === undefined ? [] : [{ [to]: { balance: toQuantity(purse) } }]
    try {
      await rpc.call('eth_call', [...call, ...overrides])
      return undefined
    } catch (fault) {
      if (isExecutionFault(fault)) return revertText(fault)
      throw asOutage(fault)
    }
  }

  /** One at a time, so that each takes the nonce behind the one before. */
  async function send(
    calldata: Hex,
    { deadlineBlock, signal, extraGas = 0n }: SubmitLimits,
  ): Promise<Sent | SettlementOutcome> {
    const block = await transactions.headNumber()
    if (block >= deadlineBlock || signal?.aborted) {
      return { outcome: 'failed', reason: 'not sent: its time was over', block }
    }
    const simulation = await simulate(calldata)
    if ('revert' in simulation) return { outcome: 'failed', reason: simulation.revert, block }
    const transaction = await transactions.sign({
      nonce: await transactions.nextNonce(),
      to: network.settlement,
      data: calldata,
      // State moves between simulation and block: other trades may make this one dearer.
      gasLimit: minOf(
        simulation.gas + simulation.gas / 4n + extraGas,
        maxOf(simulation.gas, maxTransactionGas),
      ),
      fees: await readFees(rpc),
    })
    const refusal = await transactions.broadcast(transaction)
    if (refusal) return { outcome: 'failed', reason: refusal, block }
    log.info('settlement sent', { txHash: transaction.hash, nonce: transaction.nonce, block, deadlineBlock })
    return { transaction, block }
  }

  async function conclude(
    { transaction, block }: Sent,
    { deadlineBlock, signal }: SubmitLimits,
  ): Promise<SettlementOutcome> {
    const limit = timeLimit(deadlineBlock - block, signal)
    const { receipt, head } = await watch(transaction, [], { from: block, until: deadlineBlock, limit })
    return receipt ? toOutcome(transaction, receipt) : cancel(transaction, head)
  }

  /** Takes the nonce for a transfer of nothing to ourselves, so that a late settlement cannot surprise anybody. */
  async function cancel(sent: SignedTransaction, head: number): Promise<SettlementOutcome> {
    const timeout = { outcome: 'timeout', txHash: sent.hash, block: head } as const
    try {
      const fees = replacementFees(sent.fees, await readFees(rpc))
      const request = { nonce: sent.nonce, to: sender, data: '0x', gasLimit: transferGas, fees } as const
      const cancellation = await transactions.sign(request)
      const refusal = await transactions.broadcast(cancellation)
      log.info('settlement timed out', { txHash: sent.hash, cancelledBy: cancellation.hash, refusal })
      const limit = timeLimit(cancelBlocks)
      const { receipt } = await watch(cancellation, [sent], { from: head, until: head + cancelBlocks, limit })
      return receipt?.hash === sent.hash ? toOutcome(sent, receipt) : timeout
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      log.warn('cannot cancel a settlement', { txHash: sent.hash })
      return timeout
    }
  }

  async function toOutcome(sent: SignedTransaction, receipt: Receipt): Promise<SettlementOutcome> {
    const { success, block } = receipt
    if (success) return { outcome: 'success', txHash: sent.hash, block }
    return { outcome: 'failed', reason: await reasonOf(sent, block), txHash: sent.hash, block }
  }

  async function reasonOf({ to, data, gasLimit }: SignedTransaction, block: number): Promise<string> {
    return revertReason(rpc, { from: sender, to, data, gas: toQuantity(gasLimit) }, block)
  }

  function timeLimit(blocks: number, signal?: AbortSignal): AbortSignal {
    const limit = AbortSignal.timeout(graceMs + blocks * network.blockTimeMs)
    return signal ? AbortSignal.any([signal, limit]) : limit
  }

  return {
    address: sender,
    simulate,
    dryRun,
    async submit(calldata, limits) {
      const turn = queue.then(() => send(calldata, limits))
      queue = turn.catch(() => undefined)
      const sent = await turn
      return 'outcome' in sent ? sent : conclude(sent, limits)
    },
  }
}
