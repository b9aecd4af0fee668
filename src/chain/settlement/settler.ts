import { minOf } from '../../domain/amount.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { maxTransactionGas } from '../../domain/settlement/gas.ts'
import { revertReason } from '../rpc/revert.ts'
import type { Rpc } from '../rpc/rpc.ts'
import { toQuantity } from '../rpc/wire.ts'
import { type AccountBalances, shortageText } from '../transaction/balances.ts'
import type { PrivateEndpoint, Sent } from '../transaction/broadcast.ts'
import { cappedFees, type OfferedFees, readFees, tooDearText } from '../transaction/fees.ts'
import { createFollow, type Poll, pollEvery } from '../transaction/follow.ts'
import { createNonces } from '../transaction/nonces.ts'
import { createSubmissionStory, inGweiDown, type SubmissionStory } from '../transaction/submission-story.ts'
import { createTransactions, parseSigned, type SignedTransaction } from '../transaction/transactions.ts'
import { createDryRun, createEstimate, type DryRun } from './dry-run.ts'
import { type SettlementSequence, type Simulation, tooMuchGas } from './sequence.ts'
import { intrinsicGas } from './settled-gas.ts'

/** `block` is the receipt's block, or the newest block when the wait ended; `submission` is the `SubmissionStory`, if it was sent. */
export type SettlementOutcome =
  /** On chain. */
  | { outcome: 'success'; txHash: Bytes32; block: number; submission?: string }
  /**
   * Not on chain, and it can no longer be: another transaction has its nonce. `withdrawn`: since it was not wanted any more. Without
   * `txHash` its solver was to send it, and did not in time.
   */
  | {
      outcome: 'timeout' | 'withdrawn'
      txHash?: Bytes32
      reason?: string
      block: number
      submission?: string
    }
  /** Refused, or reverted on chain. Not sent if there is no `txHash`. */
  | { outcome: 'failed'; reason: string; txHash?: Bytes32; block: number; submission?: string }
  /** The signal fired: the next leader decides with `resume`. */
  | { outcome: 'left' }

export interface RecordedTransaction {
  raw: Hex
  hash: Bytes32
  /** What became of it so far, in words. */
  submission: string
}

export interface FollowingLimits {
  /** Last block that the settlement may be in. A block earlier it is cancelled, if it is pending. */
  deadlineBlock: number
  /** Once it fires, nothing new is sent, and no call waits. */
  signal: AbortSignal
  /** Stores the transaction before it is sent, also again at a higher price. @returns why it may not be sent */
  record(transaction: RecordedTransaction): Promise<string | undefined>
  /** Stores the hash of a transfer that is to take its nonce, before that is sent. */
  recordCancellation(hash: Bytes32): Promise<void>
  /** Asked until it is on chain: a settlement that is not wanted any more is cancelled. */
  isWanted(): Promise<boolean>
}

export interface SubmitLimits extends FollowingLimits {
  /** The most gas that the simulation may use. */
  gas: bigint
  /** Gas on top of the simulated gas, for hooks and signature checks that may use more on chain. */
  extraGas?: bigint
}

export interface ResumeLimits extends FollowingLimits {
  /** What the process before has recorded. */
  submission?: string | undefined
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
  resume(raw: Hex, limits: ResumeLimits): Promise<SettlementOutcome>
}

export interface SettlerOptions {
  rpc: Rpc
  network: Network
  privateKey: Hex
  /** The settlements of all accounts that are sent and not yet mined. */
  sequence: SettlementSequence
  /** The highest price of a unit of gas that a settlement offers, in wei. */
  maxFeePerGas: bigint
  /** Most gas of a settlement. */
  maxGas?: bigint
  balances: Pick<AccountBalances, 'read' | 'cannotPay'>
  /** Without one, settlements are sent to public nodes at once. */
  privateEndpoint?: PrivateEndpoint | undefined
  log: Log
  poll?: Poll
  now?: Clock
}

/** A settlement that is sent, with what ends its place in the sequence and its claim to the nonce. */
interface SentSettlement {
  transaction: SignedTransaction
  /** The newest block when it was sent; 0 if another process sent it. */
  block: number
  sent: Sent | undefined
  story: SubmissionStory
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
  const follow = createFollow({ rpc, transactions, maxFeePerGas, poll, now, log })
  const { sender } = transactions
  const simulate = createEstimate(rpc, network.settlement, sender)
  const pending = new Set<SignedTransaction>()
  let queue: Promise<unknown> = Promise.resolve()

  /** The gas of its transaction on the state that the sent settlements leave. */
  async function simulateNext(calldata: Hex, gas: bigint): Promise<Simulation> {
    if (sequence.isEmpty()) return simulate(calldata)
    const [simulation = { revert: 'not simulated' }] = await sequence.simulate([{ sender, calldata, gas }])
    if ('revert' in simulation) return simulation
    // After the others, storage that they read costs less than it will in a transaction of its own.
    return { gas: intrinsicGas(calldata) + (simulation.gas * 5n) / 4n }
  }

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

  /** Nodes refuse what an account cannot pay beside its pending transactions. @returns why it is not sent */
  function shortage(balance: bigint, gasLimit: bigint, fees: OfferedFees): string | undefined {
    const cost = [{ gasLimit, fees }, ...pending].reduce((sum, one) => sum + mostOf(one), 0n)
    if (balance >= cost) return undefined
    balances.cannotPay(sender, cost)
    return `not sent: ${shortageText({ balance, cost })}`
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
    if (simulation.gas > maxGas) return refuse(`not sent: ${tooMuchGas(simulation.gas, maxGas)}`)
    const [current, balance] = await Promise.all([readFees(rpc), balances.read(sender)])
    const fees = cappedFees(current, maxFeePerGas)
    if (!fees) return refuse(`not sent: ${tooDearText(current.baseFee, maxFeePerGas)}`)
    // Other trades between simulation and block may raise the gas that this one needs.
    const gasLimit = minOf(simulation.gas + simulation.gas / 4n + extraGas, maxGas)
    const unpaid = shortage(balance, gasLimit, fees)
    if (unpaid !== undefined) return refuse(unpaid)
    const nonce = await nonces.next()
    const to = network.settlement
    const transaction = await transactions.sign({ nonce, to, data: calldata, gasLimit, fees })
    const story = createSubmissionStory()
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
    if (sent.told !== undefined) story.add(block, sent.told)
    log.debug('settlement sent', { txHash: transaction.hash, nonce, block, deadlineBlock, to: sent.told })
    return { transaction, block, sent, story, release }
  }

  async function toOutcome(
    { transaction, block: sentAt, sent, story, release }: SentSettlement,
    { deadlineBlock, signal, record, recordCancellation, isWanted }: FollowingLimits,
    wasSent: boolean,
  ): Promise<SettlementOutcome> {
    try {
      const followed = await follow(transaction, {
        ...{ block: sentAt, sent, story, deadlineBlock, signal },
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
      const { success, block, hash: txHash } = followed.receipt
      if (success) return { outcome: 'success', txHash, block, submission }
      return { outcome: 'failed', reason: await failureReason(transaction, block), txHash, block, submission }
    } finally {
      release()
    }
  }

  function failureReason({ to, data, gasLimit, fees }: SignedTransaction, block: number): Promise<string> {
    const gasPrice = toQuantity(fees.maxFeePerGas)
    return revertReason(rpc, { from: sender, to, data, gas: toQuantity(gasLimit), gasPrice }, block)
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
      const transaction = parseSigned(raw)
      const release = hold(transaction)
      const story = createSubmissionStory(limits.submission)
      const wasSent = await transactions.mayBeKnown(transaction.hash)
      return toOutcome({ transaction, block: 0, sent: undefined, story, release }, limits, wasSent)
    },
  }
}

/** The most that a transaction may cost, in wei. */
function mostOf({ gasLimit, fees }: Pick<SignedTransaction, 'gasLimit' | 'fees'>): bigint {
  return gasLimit * fees.maxFeePerGas
}
