import { Outage } from '../../domain/errors/error.ts'
import type { Bytes32, Hex } from '../../domain/evm/hex.ts'
import type { Log } from '../../domain/log.ts'
import { printable } from '../../outside/fault.ts'
import { type Rpc, RpcError } from '../rpc/rpc.ts'

/** A signed transaction. */
interface Signed {
  raw: Hex
  hash: Bytes32
}

/** A node that does not publish transactions before they are in a block. */
export interface PrivateEndpoint {
  rpc: Rpc
  /** The number of blocks without inclusion after which public nodes get a transaction too; 0 is never. */
  publicAfterBlocks: number
  /** The behaviour while the endpoint does not answer, before these blocks have passed. */
  whenDown: 'wait' | 'public'
}

interface Sending {
  /** The blocks since a transaction of this nonce was first sent. */
  blocks: number
  /** True if public nodes have a transaction of this nonce, or may have it. */
  isPublic: boolean
}

export interface Sent {
  /** The reason why no node accepts it. */
  refusal?: string
  isPublic: boolean
  /** The destinations as text; undefined if there is only one. */
  route?: string
}

/** Sends a transaction to the right nodes: replacements go to the nodes that got the replaced transaction. */
export type Broadcast = (transaction: Signed, sending?: Sending) => Promise<Sent>

/** A result of sending. `isAway`: the node did not answer, and may have received it. */
type Outcome = { refusal: string } | { isAway: boolean }

export function createBroadcast(rpc: Rpc, endpoint: PrivateEndpoint | undefined, log: Log): Broadcast {
  if (!endpoint) {
    return async (transaction) => {
      const open = await sendTo(rpc, transaction, log)
      return { ...('refusal' in open && open), isPublic: true }
    }
  }
  const { publicAfterBlocks, whenDown } = endpoint
  return async (transaction, { blocks, isPublic: wasPublic } = { blocks: 0, isPublic: false }) => {
    const isDue = wasPublic || (publicAfterBlocks > 0 && blocks >= publicAfterBlocks)
    const [hidden, early] = await Promise.all([
      sendTo(endpoint.rpc, transaction, log, saysThatItIsThere),
      isDue ? sendTo(rpc, transaction, log) : undefined,
    ])
    const isAway = 'isAway' in hidden && hidden.isAway
    const open = early ?? (isAway && whenDown === 'public' ? await sendTo(rpc, transaction, log) : undefined)
    return { ...refusalOf(hidden, open), isPublic: open !== undefined, route: outcomeText(isAway, open) }
  }
}

function outcomeText(isAway: boolean, open: Outcome | undefined): string {
  if (!isAway)
    return open ? 'sent to the private endpoint and to public nodes' : 'sent to the private endpoint'
  return `the private endpoint does not answer, ${open ? 'sent to public nodes' : 'waiting for it'}`
}

/** The refusal, if each endpoint that answers refuses it. */
function refusalOf(hidden: Outcome, open: Outcome | undefined): { refusal?: string } {
  if (open) return 'refusal' in open && !isTaken(hidden) ? open : {}
  return 'refusal' in hidden ? { refusal: `the private endpoint refuses it: ${hidden.refusal}` } : {}
}

function isTaken(outcome: Outcome): boolean {
  return 'isAway' in outcome && !outcome.isAway
}

/**
 * The answers of an endpoint that has the transaction. A private one may not know transactions by their hash.
 */
const saysThatItIsThere = /already (known|imported|exists|pending)|^known transaction/i

async function sendTo(rpc: Rpc, { raw, hash }: Signed, log: Log, duplicate?: RegExp): Promise<Outcome> {
  try {
    await rpc.call('eth_sendRawTransaction', [raw])
    return { isAway: false }
  } catch (fault) {
    if (!(fault instanceof Outage || fault instanceof RpcError)) throw fault
    // A broadcast that timed out may have arrived; the retry is then refused as a duplicate.
    if (fault instanceof RpcError) {
      const isThere = duplicate?.test(fault.message) || (await isKnown(rpc, hash))
      if (isThere === false) return { refusal: printable(fault.message) ?? 'without a reason' }
      if (isThere) return { isAway: false }
    }
    log.warn('a transaction may not have reached the node', { hash, fault: fault.message })
    return { isAway: true }
  }
}

/** Reports whether the node has the transaction, pending or mined; undefined if it does not answer. */
export async function isKnown(rpc: Rpc, hash: Bytes32): Promise<boolean | undefined> {
  try {
    return (await rpc.call('eth_getTransactionByHash', [hash])) !== null
  } catch {
    return undefined
  }
}
