import { maxOf, minOf } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { revertReason } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { toQuantity } from '../rpc/wire.ts'
import { type AccountBalances, shortageText } from '../transaction/account-balances.ts'
import type { PrivateEndpoint, Sent } from '../transaction/broadcast.ts'
import {
  cappedFees,
  createSubmissionLog,
  effectiveGasPrice,
  inGweiDown,
  type OfferedFees,
  readFees,
  type SubmissionLog,
  tooDearText,
} from '../transaction/fees.ts'
import { createTransactionTracker, pollEvery, type ReceiptPoll } from '../transaction/follow-transaction.ts'
import {
  createNonces,
  createTransactions,
  parseSigned,
  type SignedTransaction,
} from '../transaction/transactions.ts'
import {
  createDryRun,
  createEstimate,
  type DryRun,
  intrinsicGas,
  type SettlementSequence,
  type Simulation,
  tooMuchGas,
} from './sequence.ts'

/**
 * The outcome of a settlement. `block` is the receipt's block, or the newest block at the end of the wait;
 * `submission` is the `SubmissionStory`, if it was sent.
 */
export type SettlementOutcome =
  /** The settlement is on chain. */
  | { outcome: 'success'; txHash: Bytes32; block: number; submission?: string }
  /**
   * The settlement is not on chain, and it no longer can be: another transaction has its nonce. `withdrawn`:
   * it was not wanted any more. Without `txHash` its solver should have sent it, and did not in time.
   */
  | {
      outcome: 'timeout' | 'withdrawn'
      txHash?: Bytes32
      reason?: string
      block: number
      submission?: string
    }
  /**
   * The settlement was refused, or reverted on chain. It was not sent if there is no `txHash`. `gasPrice`:
   * what it paid for a unit of gas, in wei.
   */
  | {
      outcome: 'failed'
      reason: string
      txHash?: Bytes32
      block: number
      gasPrice?: bigint | undefined
      submission?: string
    }
  /** The signal fired: the next leader decides with `resume`. */
  | { outcome: 'left' }

interface RecordedTransaction {
  raw: Hex
  hash: Bytes32
  /** The history of the transaction so far, as text. */
  submission: string
}

export interface FollowingLimits {
  /** The last block that may include the settlement. One block earlier it is cancelled, if it is pending. */
  deadlineBlock: number
  /** The signal after which nothing new is sent, and no call waits. */
  signal: AbortSignal
  /**
   * Stores the transaction before it is sent, also again at a higher price.
   * @returns the reason why it may not be sent
   */
  record(transaction: RecordedTransaction): Promise<string | undefined>
  /** Stores the hash of a transfer that takes the transaction's nonce, before the transfer is sent. */
  recordCancellation(hash: Bytes32): Promise<void>
  /** Reports whether the settlement is wanted, until it is on chain. Otherwise it is cancelled. */
  isWanted(): Promise<boolean>
}

export interface SubmitLimits extends FollowingLimits {
  /** The maximum gas of the simulation. */
  gas: bigint
  /** The gas on top of the simulated gas, for hooks and signature checks that may use more on chain. */
  extraGas?: bigint
}

interface ResumeLimits extends FollowingLimits {
  /** The record of the previous process. */
  submission?: string | undefined
}

/** Sends settlements from one account in the order of submission; several may be pending at once. */
export interface Settler {
  address: Address
  /** Simulates a settlement. @throws Outage if the node reports neither gas nor a revert */
  simulate(calldata: Hex): Promise<Simulation>
  dryRun: DryRun
  /**
   * Submits a settlement.
   * @throws Outage if the node is unavailable before anything was sent; later it waits for the node
   */
  submit(calldata: Hex, limits: SubmitLimits): Promise<SettlementOutcome>
  /**
   * Takes over a recorded transaction of this account, from before a restart. Cancels it if the node does not
   * have it, because it is unknown whether it was ever sent. The nonce is reserved from the moment of the
   * call.
   */
  resume(raw: Hex, limits: ResumeLimits): Promise<SettlementOutcome>
}

export interface SettlerOptions {
  rpc: Rpc
  network: Network
  privateKey: Hex
  /** The settlements of all accounts that are sent and not yet mined. */
  sequence: SettlementSequence
  /** The maximum price of a unit of gas that a settlement offers, in wei. */
  maxFeePerGas: bigint
  /** The maximum gas of a settlement. */
  maxGas?: bigint
  balances: Pick<AccountBalances, 'read' | 'cannotPay'>
  /** The private endpoint. Without one, settlements are sent to public nodes at once. */
  privateEndpoint?: PrivateEndpoint | undefined
  log: Log
  poll?: ReceiptPoll
  now?: Clock
}

/** A sent settlement, with functions that end its place in the sequence and its claim to the nonce. */
interface SentSettlement {
  transaction: SignedTransaction
  /** The newest block when it was sent; 0 if another process sent it. */
  block: number
  sent: Sent | undefined
  story: SubmissionLog
  release(): void
}

export function createSettler({
  rpc,
  network,
  privateKey,
  sequence,
  maxFeePerGas,
  maxGas = maxTransactionGas,
  balances,
  privateEndpoint,
  log,
  poll = pollEvery(network.blockTimeMs / 4),
  now,
}: SettlerOptions): Settler {
  const transactions = createTransactions(rpc, network.chainId, privateKey, log, privateEndpoint)
  const nonces = createNonces(transactions)
  const follow = createTransactionTracker({ rpc, transactions, maxFeePerGas, poll, now, log })
  const { sender } = transactions
  const simulate = createEstimate(rpc, network.settlement, sender)
  const dryRun = createDryRun(rpc, network.settlement, sender)
  const pending = new Set<SignedTransaction>()
  let queue: Promise<unknown> = Promise.resolve()

  /**
   * The gas of its transaction on the state that the sent settlements leave, at the price that it will pay.
   * An estimate at that price fails if the account has too little for it, so the price is tried alone.
   */
  async function simulateNext(calldata: Hex, gas: bigint, gasPrice: bigint): Promise<Simulation> {
    if (sequence.isEmpty()) {
      const simulation = await simulate(calldata)
      if ('revert' in simulation || simulation.gas > maxGas) return simulation
      const revert = await dryRun(calldata, limitOf(simulation.gas), { gasPrice })
      return revert === undefined ? simulation : { revert }
    }
    const [[simulation = { revert: 'not simulated' }], alone] = await Promise.all([
      sequence.simulate([{ sender, calldata, gas }], gasPrice),
      simulate(calldata),
    ])
    if ('revert' in simulation) return simulation
    // Storage that the previous settlements read or wrote costs less than in a transaction of its own.
    const inQueue = intrinsicGas(calldata) + (simulation.gas * 3n) / 2n
    return { gas: 'gas' in alone ? maxOf(alone.gas, inQueue) : inQueue }
  }

  /** The gas limit: other trades between simulation and block may raise the gas that the settlement needs. */
  const limitOf = (gas: bigint, extraGas = 0n) => minOf(gas + gas / 4n + extraGas, maxGas)

  function hold(transaction: SignedTransaction): () => void {
    const { nonce, data, gasLimit } = transaction
    const unclaim = nonces.claim(nonce)
    const remove = sequence.add({ sender, calldata: data, gas: gasLimit })
    pending.add(transaction)
    return () => {
      unclaim()
      remove()
      pending.delete(transaction)
    }
  }

  /**
   * Checks the balance. Nodes refuse a transaction that an account cannot pay in addition to its pending
   * ones.
   * @returns the reason why it is not sent
   */
  function shortage(balance: bigint, gasLimit: bigint, fees: OfferedFees): string | undefined {
    const cost = [{ gasLimit, fees }, ...pending].reduce((sum, one) => sum + maxCostOf(one), 0n)
    if (balance >= cost) return undefined
    balances.cannotPay(sender, cost)
    return `not sent: ${shortageText({ balance, cost })}`
  }

  /** Sends a settlement, one at a time, so that nonces are consecutive. */
  async function send(calldata: Hex, limits: SubmitLimits): Promise<SentSettlement | SettlementOutcome> {
    const { deadlineBlock, signal, gas, extraGas = 0n } = limits
    const block = await transactions.headNumber()
    const refuse = (reason: string) => ({ outcome: 'failed', reason, block }) as const
    const isOver = () => block >= deadlineBlock - 1 || signal.aborted
    if (isOver()) return refuse('not sent: its time was over')
    const [current, balance] = await Promise.all([readFees(rpc), balances.read(sender)])
    const fees = cappedFees(current, maxFeePerGas)
    const simulation = await simulateNext(calldata, gas, effectiveGasPrice({ ...current, ...fees }))
    if ('revert' in simulation) return refuse(simulation.revert)
    if (simulation.gas > maxGas) return refuse(`not sent: ${tooMuchGas(simulation.gas, maxGas)}`)
    if (!fees) return refuse(`not sent: ${tooDearText(current.baseFee, maxFeePerGas)}`)
    const gasLimit = limitOf(simulation.gas, extraGas)
    const unpaid = shortage(balance, gasLimit, fees)
    if (unpaid !== undefined) return refuse(unpaid)
    const nonce = await nonces.next()
    const to = network.settlement
    const transaction = await transactions.sign({ nonce, to, data: calldata, gasLimit, fees })
    const story = createSubmissionLog()
    story.add(block, `offered ${inGweiDown(fees.maxFeePerGas)} gwei`)
    const prevented = await limits.record({ ...transaction, submission: story.text() })
    if (prevented !== undefined) return refuse(prevented)
    if (isOver()) return refuse('not sent: its time was over')
    const release = hold(transaction)
    const sent = await transactions.broadcast(transaction)
    if (sent.refusal !== undefined) {
      release()
      return refuse(privateEndpoint ? `not sent: ${sent.refusal}` : sent.refusal)
    }
    if (sent.route !== undefined) story.add(block, sent.route)
    log.debug('settlement sent', { txHash: transaction.hash, nonce, block, deadlineBlock, to: sent.route })
    return { transaction, block, sent, story, release }
  }

  async function toOutcome(
    { transaction, block: sentAt, sent, story, release }: SentSettlement,
    { deadlineBlock, signal, record, recordCancellation, isWanted }: FollowingLimits,
    wasSent: boolean,
  ): Promise<SettlementOutcome> {
    try {
      const followed = await follow(transaction, {
        block: sentAt,
        sent,
        story,
        deadlineBlock,
        signal,
        record: async (version) => (await record({ ...version, submission: story.text() })) === undefined,
        recordCancellation,
        isWanted: async () => wasSent && (await isWanted()),
      })
      if (followed.end === 'left') return { outcome: 'left' }
      const submission = story.text()
      if (followed.end === 'replaced') {
        const outcome = wasSent && followed.isWithdrawn ? 'withdrawn' : 'timeout'
        return { outcome, txHash: transaction.hash, block: followed.head, submission }
      }
      const { success, block, hash: txHash, gasPrice } = followed.receipt
      if (success) return { outcome: 'success', txHash, block, submission }
      const reason = await failureReason(transaction, block, gasPrice)
      return { outcome: 'failed', reason, txHash, block, gasPrice, submission }
    } finally {
      release()
    }
  }

  /** @param paid what it paid for a unit of gas, also after it was sent again at another price */
  function failureReason(
    { to, data, gasLimit, fees }: SignedTransaction,
    block: number,
    paid = fees.maxFeePerGas,
  ): Promise<string> {
    const gasPrice = toQuantity(paid)
    return revertReason(rpc, { from: sender, to, data, gas: toQuantity(gasLimit), gasPrice }, block)
  }

  return {
    address: sender,
    simulate,
    dryRun,
    async submit(calldata, limits) {
      const sending = queue.then(() => send(calldata, limits))
      queue = sending.catch(() => undefined)
      const sent = await sending
      return 'outcome' in sent ? sent : toOutcome(sent, limits, true)
    },
    async resume(raw, limits) {
      const transaction = parseSigned(raw)
      const release = hold(transaction)
      const story = createSubmissionLog(limits.submission)
      const wasSent = await transactions.mayBeKnown(transaction.hash)
      return toOutcome({ transaction, block: 0, sent: undefined, story, release }, limits, wasSent)
    },
  }
}

/** The maximum cost of a transaction, in wei. */
function maxCostOf({ gasLimit, fees }: Pick<SignedTransaction, 'gasLimit' | 'fees'>): bigint {
  return gasLimit * fees.maxFeePerGas
}
