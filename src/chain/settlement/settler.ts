import { maxOf, minOf } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { revertReason, revertText } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { asOutage, isExecutionFault, parseQuantity, toQuantity } from '../rpc/wire.ts'
import { cappedFees, readFees } from '../transaction/fees.ts'
import { createFollow, type Poll, pollEvery } from '../transaction/follow.ts'
import { createNonces } from '../transaction/nonces.ts'
import { createTransactions, parseSigned, type SignedTransaction } from '../transaction/transactions.ts'
import { createDryRun, type DryRun } from './dry-run.ts'
import type { SettlementSequence, Simulation } from './sequence.ts'
import { intrinsicGas } from './settled-gas.ts'

/** `block` is the receipt's block, or the newest block when the wait ended. */
export type SettlementOutcome =
  /** On chain. */
  | { outcome: 'success'; txHash: Bytes32; block: number }
  /**
   * Not on chain, and it can no longer be: another transaction has its nonce. `withdrawn`: since it was not wanted any more. Without
   * `txHash` its solver was to send it, and did not in time.
   */
  | { outcome: 'timeout' | 'withdrawn'; txHash?: Bytes32; reason?: string; block: number }
  /** Refused, or reverted on chain. Not sent if there is no `txHash`. */
  | { outcome: 'failed'; reason: string; txHash?: Bytes32; block: number }
  /** The signal fired: the next leader decides with `resume`. */
  | { outcome: 'left' }

export interface FollowingLimits {
  /** Last block that the settlement may be in. A block earlier it is cancelled, if it is pending. */
  deadlineBlock: number
  /** Once it fires, nothing new is sent, and no call waits. */
  signal: AbortSignal
  /** Stores the transaction before it is sent, also again at a higher price. @returns why it may not be sent */
  record(transaction: { raw: Hex; hash: Bytes32 }): Promise<string | undefined>
  /** Asked until it is on chain: a settlement that is not wanted any more is cancelled. */
  isWanted(): Promise<boolean>
}

export interface SubmitLimits extends FollowingLimits {
  /** The most gas that the simulation may use. */
  gas: bigint
  /** Gas on top of the simulated gas, for hooks and signature checks that may use more on chain. */
  extraGas?: bigint
}

/** Sends settlements from one account in the order of submission; several may be pending at once. */
export interface Settler {
  address: Address
  /** @throws Outage when the node reports neither gas nor a revert */
  simulate(calldata: Hex): Promise<Simulation>
  dryRun: DryRun
  /** @throws Outage when the node is unavailable before anything was sent; later it waits for the node */
  submit(calldata: Hex, limits: SubmitLimits): Promise<SettlementOutcome>
  /**
   * Takes over a recorded transaction of this account, from before a restart. Cancels it if the node does not have it: whether it was
   * ever sent is unknown. The nonce is kept from the moment of the call.
   */
  resume(raw: Hex, limits: FollowingLimits): Promise<SettlementOutcome>
}

export interface SettlerOptions {
  rpc: Rpc
  network: Network
  privateKey: Hex
  /** The settlements of all accounts that are sent and not yet mined. */
  sequence: SettlementSequence
  /** The highest price of a unit of gas that a settlement offers, in wei. */
  maxFeePerGas: bigint
  log: Log
  poll?: Poll
}

/** A settlement that is sent, with what ends its place in the sequence and its claim to the nonce. */
interface SentSettlement {
  transaction: SignedTransaction
  /** The newest block when it was sent. */
  block: number
  release(): void
}

export function createSettler({
  rpc,
  network,
  privateKey,
  sequence,
  maxFeePerGas,
  log,
  poll = pollEvery(network.blockTimeMs / 4),
}: SettlerOptions): Settler {
  const transactions = createTransactions(rpc, network.chainId, privateKey, log)
  const nonces = createNonces(transactions)
  const follow = createFollow({ rpc, transactions, maxFeePerGas, poll, log })
  const { sender } = transactions
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

  /** The gas of its transaction on the state that the sent settlements leave. */
  async function simulateNext(calldata: Hex, gas: bigint): Promise<Simulation> {
    if (sequence.isEmpty()) return simulate(calldata)
    const [simulation = { revert: 'not simulated' }] = await sequence.simulate([{ sender, calldata, gas }])
    if ('revert' in simulation) return simulation
    // After the others, storage that they read costs less than it will in a transaction of its own.
    return { gas: intrinsicGas(calldata) + (simulation.gas * 5n) / 4n }
  }

  function hold(transaction: SignedTransaction, block: number): SentSettlement {
    const { nonce, data, gasLimit } = transaction
    const unclaim = nonces.claim(nonce)
    const remove = sequence.add({ sender, calldata: data, gas: gasLimit })
    const release = () => {
      unclaim()
      remove()
    }
    return { transaction, block, release }
  }

  /** Runs one at a time, so that nonces follow each other. */
  async function send(calldata: Hex, limits: SubmitLimits): Promise<SentSettlement | SettlementOutcome> {
    const { deadlineBlock, signal, gas, extraGas = 0n } = limits
    const block = await transactions.headNumber()
    const refuse = (reason: string) => ({ outcome: 'failed', reason, block }) as const
    const isOver = () => block >= deadlineBlock - 1 || signal.aborted
    if (isOver()) return refuse('not sent: its time was over')
    const simulation = await simulateNext(calldata, gas)
    if ('revert' in simulation) return refuse(simulation.revert)
    const fees = cappedFees(await readFees(rpc), maxFeePerGas)
    if (!fees) return refuse('not sent: gas costs more than a settlement may offer')
    const transaction = await transactions.sign({
      nonce: await nonces.next(),
      to: network.settlement,
      data: calldata,
      // Other trades between simulation and block may raise the gas that this one needs.
      gasLimit: minOf(
        simulation.gas + simulation.gas / 4n + extraGas,
        maxOf(simulation.gas, maxTransactionGas),
      ),
      fees,
    })
    const prevented = await limits.record(transaction)
    if (prevented !== undefined) return refuse(prevented)
    if (isOver()) return refuse('not sent: its time was over')
    const held = hold(transaction, block)
    const refusal = await transactions.broadcast(transaction)
    if (refusal !== undefined) {
      held.release()
      return refuse(refusal)
    }
    log.info('settlement sent', { txHash: transaction.hash, nonce: transaction.nonce, block, deadlineBlock })
    return held
  }

  async function toOutcome(
    { transaction, block: sentAt, release }: SentSettlement,
    { deadlineBlock, signal, record, isWanted }: FollowingLimits,
    wasSent: boolean,
  ): Promise<SettlementOutcome> {
    try {
      const followed = await follow(transaction, {
        block: sentAt,
        deadlineBlock,
        signal,
        record: async (version) => (await record(version)) === undefined,
        isWanted: async () => wasSent && (await isWanted()),
      })
      if (followed.end === 'left') return { outcome: 'left' }
      if (followed.end === 'replaced') {
        const outcome = wasSent && followed.isWithdrawn ? 'withdrawn' : 'timeout'
        return { outcome, txHash: transaction.hash, block: followed.head }
      }
      const { success, block, hash: txHash } = followed.receipt
      if (success) return { outcome: 'success', txHash, block }
      return { outcome: 'failed', reason: await failureReason(transaction, block), txHash, block }
    } finally {
      release()
    }
  }

  function failureReason({ to, data, gasLimit }: SignedTransaction, block: number): Promise<string> {
    return revertReason(rpc, { from: sender, to, data, gas: toQuantity(gasLimit) }, block)
  }

  return {
    address: sender,
    simulate,
    dryRun: createDryRun(rpc, network.settlement, sender),
    async submit(calldata, limits) {
      const sending = queue.then(() => send(calldata, limits))
      queue = sending.catch(() => undefined)
      const sent = await sending
      return 'outcome' in sent ? sent : toOutcome(sent, limits, true)
    },
    async resume(raw, limits) {
      const held = hold(parseSigned(raw), 0)
      const wasSent = await transactions.mayBeKnown(held.transaction.hash)
      return toOutcome(held, limits, wasSent)
    },
  }
}
