import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import type { Block, Chain } from '../chain.ts'

/** The holdings that may have changed from one call to the next, from one read of logs for all of them. */
export interface HoldingChanges {
  /**
   * Returns keys `account:token` that logs of these tokens name between the last head and `head`. Returns
   * `all` if the keys cannot be known: the first time, after a reorganisation, after many blocks, and if the
   * node refuses its logs.
   * @throws Outage if the node does not answer
   */
  upTo(head: Block, tokens: readonly Address[]): Promise<ReadonlySet<string> | 'all'>
  /** Resets the state, so that the next call counts as the first one. */
  forget(): void
}

interface HoldingChangesOptions {
  chain: Pick<Chain, 'block' | 'changedHoldings'>
  log: Log
}

/** The number of blocks between two calls above which every holding counts as changed. */
const maxBlocks = 100

export function createHoldingChanges({ chain, log }: HoldingChangesOptions): HoldingChanges {
  let last: Block | undefined

  /** Reports whether `head` follows the last one, with few blocks between. */
  async function isContinued(from: Block, head: Block): Promise<boolean> {
    const distance = head.number - from.number
    if (distance < 1 || distance > maxBlocks) return false
    const parentHash = distance === 1 ? head.parentHash : (await chain.block(from.number))?.hash
    return parentHash === from.hash
  }

  return {
    async upTo(head, tokens) {
      const from = last
      last = undefined
      const isKnown = from !== undefined && (from.hash === head.hash || (await isContinued(from, head)))
      const keys = isKnown ? await changedSince(from, head, tokens) : 'all'
      last = head
      return keys
    },
    forget() {
      last = undefined
    },
  }

  async function changedSince(
    from: Block,
    head: Block,
    tokens: readonly Address[],
  ): Promise<ReadonlySet<string> | 'all'> {
    if (from.hash === head.hash) return new Set()
    try {
      return await chain.changedHoldings(tokens, from.number + 1, head.number, head.hash)
    } catch (fault) {
      if (!(fault instanceof Outage)) throw fault
      log.warn('logs cannot be followed: every balance is read again', { fault: fault.message })
      return 'all'
    }
  }
}
