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

/** A node that shows transactions to no one before they are in a block. */
export interface PrivateEndpoint {
  rpc: Rpc
  /** Blocks without inclusion after which public nodes get a transaction too; 0 is never. */
  publicAfterBlocks: number
  /** What happens while it does not answer, before these blocks are over. */
  whenDown: 'wait' | 'public'
}

export interface Sending {
  /** Since a transaction of this nonce was sent first. */
  blocks: number
  /** Public nodes have one of this nonce, or may have it. */
  isPublic: boolean
}

export interface Sent {
  /** Why no node takes it. */
  refusal?: string
  isPublic: boolean
  /** Where it went, in words; undefined where there is one place only. */
  told?: string
}

/** Sends a transaction where it has to be: replacements go where what they replace went. */
export type Broadcast = (transaction: Signed, sending?: Sending) => Promise<Sent>

/** `isAway`: it may have arrived. */
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
    return { ...refusalOf(hidden, open), isPublic: open !== undefined, told: told(isAway, open) }
  }
}

function told(isAway: boolean, open: Outcome | undefined): string {
  if (!isAway)
    return open ? 'sent to the private endpoint and to public nodes' : 'sent to the private endpoint'
  return `the private endpoint does not answer, ${open ? 'sent to public nodes' : 'waiting for it'}`
}

/** It is refused where each that answers refuses it. */
function refusalOf(hidden: Outcome, open: Outcome | undefined): { refusal?: string } {
  if (open) return 'refusal' in open && !isTaken(hidden) ? open : {}
  return 'refusal' in hidden ? { refusal: `the private endpoint refuses it: ${hidden.refusal}` } : {}
}

function isTaken(outcome: Outcome): boolean {
  return 'isAway' in outcome && !outcome.isAway
}

/** A private endpoint may not know transactions by their hash. */
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

/** Whether the node has it, pending or mined; undefined when it does not answer. */
export async function isKnown(rpc: Rpc, hash: Bytes32): Promise<boolean | undefined> {
  try {
    return (await rpc.call('eth_getTransactionByHash', [hash])) !== null
  } catch {
    return undefined
  }
}
