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
import { createReceiptWait, pollEvery, type ReceiptPoll } from '../transaction/receipt-watch.ts'
import { createTransactions, type Receipt, type SignedTransaction } from '../transaction/transactions.ts'

export type Simulation = { gas: bigint } | { revert: string }

/** `block` is the receipt's block, or the newest block when the wait ended. */
export type SettlementOutcome =
  /** On chain, even after the deadline if it was mined before the cancellation. */
  | { outcome: 'success'; txHash: Bytes32; block: number }
  /** Not on chain at the deadline; a cancellation was attempted. */
  | { outcome: 'timeout'; txHash: Bytes32; block: number }
  /** Refused, or reverted on chain. Not sent if there is no `txHash`. */
  | { outcome: 'failed'; reason: string; txHash?: Bytes32; block: number }

export interface SubmitLimits {
  /** Last block that the settlement may be in. */
  deadlineBlock: number
  /** Ends the wait early and cancels a pending transaction. */
  signal?: AbortSignal
  /** Gas on top of the simulated gas, for hooks and signature checks that may use more on chain. */
  extraGas?: bigint
}

/** Sends settlements from one account in the order of submission; several may be pending at once. */
export interface Settler {
  address: Address
  /** @throws Outage when the node reports neither gas nor a revert */
  simulate(calldata: Hex): Promise<Simulation>
  /**
   * Simulates it at the newest block with this much gas.
   * @param balance overrides the settlement contract's native balance
   * @returns why it reverts; `undefined` when it does not
   * @throws Outage when the node reports neither
   */
  dryRun(calldata: Hex, gas: bigint, balance?: bigint): Promise<string | undefined>
  /** @throws Outage when the node is unavailable before anything was sent; later it waits for the node */
  submit(calldata: Hex, limits: SubmitLimits): Promise<SettlementOutcome>
}

export interface SettlerOptions {
  rpc: Rpc
  network: Network
  privateKey: Hex
  log: Log
  poll?: ReceiptPoll
}

/** A pending settlement. `block` was the newest block when it was sent. */
interface SentSettlement {
  transaction: SignedTransaction
  block: number
}

/** Blocks to wait for a cancellation's receipt. */
const cancelBlocks = 3
/** On top of the block times until a deadline: bounds the wait when the chain produces no blocks. */
const graceMs = 60_000
const transferGas = 21_000n

export function createSettler(options: SettlerOptions): Settler {
  const { rpc, network, log } = options
  const transactions = createTransactions(rpc, network.chainId, options.privateKey, log)
  const { sender } = transactions
  const waitForReceipt = createReceiptWait(
    transactions,
    options.poll ?? pollEvery(network.blockTimeMs / 4),
    log,
  )
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

  async function dryRun(data: Hex, gas: bigint, balance?: bigint): Promise<string | undefined> {
    const { settlement: to } = network
    const call = [{ from: sender, to, data, gas: toQuantity(gas) }, 'latest']
    const overrides = balance === undefined ? [] : [{ [to]: { balance: toQuantity(balance) } }]
    try {
      await rpc.call('eth_call', [...call, ...overrides])
      return undefined
    } catch (fault) {
      if (isExecutionFault(fault)) return revertText(fault)
      throw asOutage(fault)
    }
  }

  /** Runs one at a time, so that nonces follow each other. */
  async function send(
    calldata: Hex,
    { deadlineBlock, signal, extraGas = 0n }: SubmitLimits,
  ): Promise<SentSettlement | SettlementOutcome> {
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
      // Other trades between simulation and block may raise the gas that this one needs.
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

  async function awaitOutcome(
    { transaction, block }: SentSettlement,
    { deadlineBlock, signal }: SubmitLimits,
  ): Promise<SettlementOutcome> {
    const waitSignal = timeLimit(deadlineBlock - block, signal)
    const { receipt, head } = await waitForReceipt(transaction, [], {
      from: block,
      endBlock: deadlineBlock,
      signal: waitSignal,
    })
    return receipt ? toOutcome(transaction, receipt) : cancel(transaction, head)
  }

  /** Replaces it by an empty transfer to the sender under the same nonce, so that it cannot settle after its deadline. */
  async function cancel(sent: SignedTransaction, head: number): Promise<SettlementOutcome> {
    const timeout = { outcome: 'timeout', txHash: sent.hash, block: head } as const
    try {
      const fees = replacementFees(sent.fees, await readFees(rpc))
      const request = { nonce: sent.nonce, to: sender, data: '0x', gasLimit: transferGas, fees } as const
      const cancellation = await transactions.sign(request)
      const refusal = await transactions.broadcast(cancellation)
      log.info('settlement timed out', { txHash: sent.hash, cancelledBy: cancellation.hash, refusal })
      const signal = timeLimit(cancelBlocks)
      const { receipt } = await waitForReceipt(cancellation, [sent], {
        from: head,
        endBlock: head + cancelBlocks,
        signal,
      })
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
    return { outcome: 'failed', reason: await failureReason(sent, block), txHash: sent.hash, block }
  }

  async function failureReason({ to, data, gasLimit }: SignedTransaction, block: number): Promise<string> {
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
      const sending = queue.then(() => send(calldata, limits))
      queue = sending.catch(() => undefined)
      const sent = await sending
      return 'outcome' in sent ? sent : awaitOutcome(sent, limits)
    },
  }
}
