import { setTimeout as pause } from 'node:timers/promises'
import { minOf } from '../../domain/amount.ts'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Clock, Log } from '../../domain/log.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'
import { parseQuantity } from '../rpc/wire.ts'
import type { Sent } from './broadcast.ts'
import { type Fees, inGweiDown, readFees, replacementFees, type SubmissionLog } from './fees.ts'
import type { Receipt, SignedTransaction, TransactionRequest, Transactions } from './transactions.ts'

/** Waits until the next poll; returns early when the signal fires. */
export type ReceiptPoll = (signal: AbortSignal) => Promise<void>

interface TrackLimits {
  /** The newest block when it was sent; 0 if another process sent it. */
  block: number
  /** The result of sending; undefined if another process sent it. */
  sent: Sent | undefined
  story: SubmissionLog
  /** The last block that may include the transaction. */
  deadlineBlock: number
  /** The signal that ends the wait; the transaction stays unchanged. */
  signal: AbortSignal
  /** Runs before the transaction is sent at another price. @returns whether it may be sent */
  record(transaction: SignedTransaction): Promise<boolean>
  /** Runs before a transfer is sent that takes the transaction's nonce. */
  recordCancellation(hash: Bytes32): Promise<void>
  /** Reports whether the transaction is wanted. Otherwise it is cancelled, whatever the deadline. */
  isWanted(): Promise<boolean>
}

/** The end of following a transaction. `head` is the newest block at the end. */
type TrackOutcome =
  | { end: 'mined'; receipt: Receipt; head: number }
  /**
   * Another transaction took the nonce, so this transaction can never be mined. `isWithdrawn`: it was not
   * wanted any more.
   */
  | { end: 'replaced'; head: number; isWithdrawn: boolean }
  /** The signal fired; the transaction may still be mined. */
  | { end: 'left'; head: number }

interface TrackOptions {
  rpc: Rpc
  transactions: Transactions
  /** The maximum price in wei. A cancellation, which uses little gas, may cost a multiple of it. */
  maxFeePerGas: bigint
  poll: ReceiptPoll
  now?: Clock | undefined
  log: Log
}

/** Follows transactions of one account until their nonces are used. */
type TrackTransaction = (transaction: SignedTransaction, limits: TrackLimits) => Promise<TrackOutcome>

const transferGas = 21_000n
/** The gas limit of a cancellation. A transfer whose code needs more fails, but still takes the nonce. */
const maxCancelGas = 200_000n
/**
 * The time and the number of blocks for which the receipt may be late after a nonce is used without one.
 * Nodes behind one address differ by some blocks, and a node may know a block before it has indexed its
 * transactions.
 */
const receiptPatience = { blocks: 2, ms: 5_000 }
/**
 * The factor on the price of a cancellation. A settlement uses several times the gas of the transfer that
 * cancels it.
 */
const cancelFactor = 4n

/**
 * Creates the follower. With each block the next transaction is offered at a higher price, up to the cap. One
 * block before its deadline an empty transfer to the sender replaces it, so that it cannot be mined later.
 */
export function createTransactionTracker(options: TrackOptions): TrackTransaction {
  const { rpc, transactions, maxFeePerGas, poll, now = Date.now, log } = options
  const { sender, position, sign, broadcast, receipt } = transactions

  /**
   * The gas of a cancellation. An account can have code (EIP-7702), which runs when it is paid. A failed
   * transfer takes the nonce as well.
   */
  async function cancelGas(): Promise<bigint> {
    try {
      const gas = parseQuantity(await rpc.call('eth_estimateGas', [{ from: sender, to: sender, data: '0x' }]))
      return gas > transferGas ? minOf((gas * 11n) / 10n, maxCancelGas) : transferGas
    } catch (fault) {
      if (fault instanceof RpcError) return transferGas
      throw fault
    }
  }

  /** Signs the transaction again at the current price; undefined if it exceeds the cap. */
  async function repriced(
    { fees: offered, ...request }: TransactionRequest,
    current: Fees,
  ): Promise<SignedTransaction | undefined> {
    const cap = isCancellation(request) ? cancelFactor * maxFeePerGas : maxFeePerGas
    const fees = replacementFees(offered, current, cap)
    return fees && sign({ ...request, fees })
  }

  return async (
    sent,
    { block, deadlineBlock, signal, story, record, recordCancellation, isWanted, ...limits },
  ) => {
    const versions = [sent]
    let last = sent
    let head = block
    let sentAt = block
    let isPublic = limits.sent?.isPublic ?? false
    let route = limits.sent?.route
    let isCapped = false
    /** The time and block at which its nonce was found used, without a receipt. */
    let usedSince: { at: number; head: number } | undefined
    let isWithdrawn = false
    const cancellations: Bytes32[] = []

    /**
     * Sends a transaction for a new block: a cancellation, a better price, or the same again, because nodes
     * forget.
     */
    async function renew(isNext: boolean): Promise<void> {
      const isOver = isWithdrawn || head >= deadlineBlock - 1
      if (isOver && !isCancellation(last)) {
        const { nonce, fees } = last
        const cancel = { nonce, fees, to: sender, data: '0x', gasLimit: await cancelGas() } as const
        last = (await repriced(cancel, await readFees(rpc))) ?? last
        const why = isWithdrawn ? 'its orders were cancelled' : 'its time is over'
        story.add(head, `cancelled, since ${why}, for ${inGweiDown(last.fees.maxFeePerGas)} gwei`)
        log.info('settlement is cancelled', { txHash: sent.hash, cancelledBy: last.hash, head })
      } else if (isNext) last = (await raised()) ?? last
      if (!signal.aborted) await sendAgain()
    }

    /**
     * Sends the last transaction again. A cancellation reveals nothing, so public nodes get it in any case.
     */
    async function sendAgain(): Promise<void> {
      const blocks = head - sentAt
      if (isCancellation(last) && last.hash !== cancellations.at(-1)) {
        const { hash } = last
        await recordCancellation(hash).catch((fault) =>
          log.warn('the cost of a cancellation will not be known', { hash, error: String(fault) }),
        )
        cancellations.push(hash)
      }
      const result = await broadcast(last, { blocks, isPublic: isPublic || isCancellation(last) })
      isPublic ||= result.isPublic
      if (result.route !== undefined && result.route !== route) story.add(head, result.route)
      route = result.route
      const { refusal } = result
      if (refusal === undefined) return
      story.add(head, `refused: ${refusal}`)
      log.warn('a transaction is refused', { txHash: last.hash, refusal })
    }

    async function raised(): Promise<SignedTransaction | undefined> {
      const fees = await readFees(rpc)
      const version = await repriced(last, fees)
      if (isCancellation(last)) return version
      if (fees.baseFee > last.fees.maxFeePerGas && !version && !isCapped) {
        isCapped = true
        const [asked, max] = [fees.baseFee, maxFeePerGas].map(inGweiDown)
        story.add(head, `gas costs ${asked} gwei, more than the ${max} that it may offer`)
      }
      if (!version) return undefined
      story.add(head, `offered ${inGweiDown(version.fees.maxFeePerGas)} gwei`)
      if (!(await record(version))) return undefined
      versions.push(version)
      return version
    }

    async function firstMined(hashes: readonly Bytes32[]): Promise<Receipt | undefined> {
      for (const hash of hashes) {
        const mined = await receipt(hash)
        if (mined) return mined
      }
      return undefined
    }

    /** Returns the end after its nonce is used. */
    async function ending(newest: number): Promise<TrackOutcome | undefined> {
      const mined = await firstMined(versions.map(({ hash }) => hash))
      if (mined) return { end: 'mined', receipt: mined, head: newest }
      usedSince ??= { at: now(), head: newest }
      const isLate =
        newest >= usedSince.head + receiptPatience.blocks && now() >= usedSince.at + receiptPatience.ms
      const isReplaced = isLate || (await firstMined(cancellations)) !== undefined
      return isReplaced ? { end: 'replaced', head: newest, isWithdrawn } : undefined
    }

    async function look(): Promise<TrackOutcome | undefined> {
      const newest = await position()
      if (newest.nonce > sent.nonce) return ending(newest.head)
      usedSince = undefined
      const hasNewBlock = newest.head > head
      head = newest.head
      sentAt ||= head
      const isNews = !isWithdrawn && !isCancellation(last) && !(await isWanted())
      isWithdrawn ||= isNews
      if (hasNewBlock || isNews) await renew(newest.nonce === sent.nonce)
      return undefined
    }

    while (!signal.aborted) {
      try {
        const ended = await look()
        if (ended) return ended
      } catch (fault) {
        if (!(fault instanceof Outage)) throw fault
        log.warn('cannot follow a transaction', { txHash: sent.hash })
      }
      await poll(signal)
    }
    return { end: 'left', head }
  }
}

function isCancellation({ data }: Pick<TransactionRequest, 'data'>): boolean {
  return data === '0x'
}

export function pollEvery(milliseconds: number): ReceiptPoll {
  const interval = Math.min(1000, Math.max(50, milliseconds))
  return (signal) => pause(interval, undefined, { signal }).catch(() => undefined)
}
