import { setTimeout as pause } from 'node:timers/promises'
import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32 } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import type { Rpc } from '../rpc/rpc.ts'
import type { Sent } from './broadcast.ts'
import { type Fees, readFees, replacementFees } from './fees.ts'
import { inGweiDown, type SubmissionStory } from './submission-story.ts'
import type { Receipt, SignedTransaction, TransactionRequest, Transactions } from './transactions.ts'

/** Waits until the next poll; returns early when the signal fires. */
export type Poll = (signal: AbortSignal) => Promise<void>

export interface FollowLimits {
  /** The newest block when it was sent; 0 if another process sent it. */
  block: number
  /** How it was sent; undefined if another process sent it. */
  sent: Sent | undefined
  story: SubmissionStory
  /** Last block that the transaction may be in. */
  deadlineBlock: number
  /** Ends the wait; the transaction stays as it is. */
  signal: AbortSignal
  /** Runs before the transaction is sent at another price. @returns whether it may be sent so */
  record(transaction: SignedTransaction): Promise<boolean>
  /** Runs before a transfer is sent that is to take its nonce. */
  recordCancellation(hash: Bytes32): Promise<void>
  /** Once it is not, the transaction is cancelled, whatever the deadline. */
  isWanted(): Promise<boolean>
}

/** `head` is the newest block at the end. */
export type FollowEnd =
  | { end: 'mined'; receipt: Receipt; head: number }
  /** Another transaction took the nonce: this one can never be mined. `isWithdrawn`: it was not wanted any more. */
  | { end: 'replaced'; head: number; isWithdrawn: boolean }
  /** The signal fired; it may be mined yet. */
  | { end: 'left'; head: number }

export interface FollowOptions {
  rpc: Rpc
  transactions: Transactions
  /** In wei. A cancellation, which uses little gas, may cost a multiple of it. */
  maxFeePerGas: bigint
  poll: Poll
  log: Log
}

/** Follows transactions of one account until their nonces are used. */
export type Follow = (transaction: SignedTransaction, limits: FollowLimits) => Promise<FollowEnd>

const transferGas = 21_000n
/** A settlement uses several times the gas of the transfer that cancels it. */
const cancelFactor = 4n

/**
 * With each block the transaction that is next is offered at a higher price, up to the cap. A block before its deadline it is replaced
 * by an empty transfer to the sender, so that it cannot be mined later.
 */
export function createFollow({ rpc, transactions, maxFeePerGas, poll, log }: FollowOptions): Follow {
  const { sender, position, sign, broadcast, receipt } = transactions

  /** Signs it again at the price of now; `undefined` where that exceeds the cap. */
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
    let told = limits.sent?.told
    let isCapped = false
    let wasUsed = false
    let isWithdrawn = false
    let cancelledBy: Bytes32 | undefined

    /** Sends what a new block asks for: a cancellation, a better price, or the same again, since nodes forget. */
    async function renew(isNext: boolean): Promise<void> {
      const isOver = isWithdrawn || head >= deadlineBlock - 1
      if (isOver && !isCancellation(last)) {
        const { nonce, fees } = last
        const cancel = { nonce, fees, to: sender, data: '0x', gasLimit: transferGas } as const
        last = (await repriced(cancel, await readFees(rpc))) ?? last
        const why = isWithdrawn ? 'its orders were cancelled' : 'its time is over'
        story.add(head, `cancelled, since ${why}, for ${inGweiDown(last.fees.maxFeePerGas)} gwei`)
        log.info('settlement is cancelled', { txHash: sent.hash, cancelledBy: last.hash, head })
      } else if (isNext) last = (await raised()) ?? last
      if (!signal.aborted) await sendAgain()
    }

    /** A cancellation shows nothing, so public nodes get it in any case. */
    async function sendAgain(): Promise<void> {
      const blocks = head - sentAt
      if (isCancellation(last) && last.hash !== cancelledBy) {
        const { hash } = last
        await recordCancellation(hash).catch((fault) =>
          log.warn('the cost of a cancellation will not be known', { hash, error: String(fault) }),
        )
        cancelledBy = hash
      }
      const result = await broadcast(last, { blocks, isPublic: isPublic || isCancellation(last) })
      isPublic ||= result.isPublic
      if (result.told !== undefined && result.told !== told) story.add(head, result.told)
      told = result.told
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
        const [asked, most] = [fees.baseFee, maxFeePerGas].map(inGweiDown)
        story.add(head, `gas costs ${asked} gwei, more than the ${most} that it may offer`)
      }
      if (!version) return undefined
      story.add(head, `offered ${inGweiDown(version.fees.maxFeePerGas)} gwei`)
      if (!(await record(version))) return undefined
      versions.push(version)
      return version
    }

    async function minedVersion(): Promise<Receipt | undefined> {
      for (const { hash } of versions) {
        const mined = await receipt(hash)
        if (mined) return mined
      }
      return undefined
    }

    async function look(): Promise<FollowEnd | undefined> {
      const newest = await position()
      if (newest.nonce > sent.nonce) {
        const mined = await minedVersion()
        if (mined) return { end: 'mined', receipt: mined, head: newest.head }
        // Nodes behind one address may differ by a block: what is missing twice is missing.
        if (wasUsed) return { end: 'replaced', head: newest.head, isWithdrawn }
        wasUsed = true
      } else {
        wasUsed = false
        const hasNewBlock = newest.head > head
        head = newest.head
        sentAt ||= head
        const isNews = !isWithdrawn && !isCancellation(last) && !(await isWanted())
        isWithdrawn ||= isNews
        if (hasNewBlock || isNews) await renew(newest.nonce === sent.nonce)
      }
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

export function pollEvery(milliseconds: number): Poll {
  const interval = Math.min(1000, Math.max(50, milliseconds))
  return (signal) => pause(interval, undefined, { signal }).catch(() => undefined)
}
