import { setTimeout as pause } from 'node:timers/promises'
import { createChain } from '../chain/chain.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Log } from '../domain/log.ts'
import { claimNetwork } from '../storage/chain/networks.ts'
import type { Database } from '../storage/database/database.ts'
import type { NetworkParts } from './network.ts'

type Claimant = Pick<NetworkParts, 'network' | 'node'>

interface ClaimOptions {
  db: Database
  log: Log
  signal: AbortSignal
}

const pauseMs = { first: 250, longest: 2_000 }
/** While it waits, it says so once in this time. */
const reportEveryMs = 60_000

/**
 * Checks that the node is on the chain that the database belongs to, and opens it to its clients. If the node is away, this goes on
 * behind.
 * @returns `claimed`: false when `signal` aborts before; it rejects when a node that came back is on another chain
 * @throws when the node is on another chain
 */
export async function claimChain(
  claimant: Claimant,
  options: ClaimOptions,
): Promise<{ claimed: Promise<boolean> }> {
  const fault = await tryClaim(claimant, options.db)
  if (!fault) return { claimed: Promise.resolve(true) }
  return { claimed: claimLater(claimant, options, fault) }
}

async function claimLater(
  claimant: Claimant,
  { db, log, signal }: ClaimOptions,
  first: Outage,
): Promise<boolean> {
  const network = claimant.network.name
  const started = performance.now()
  let reported = Number.NEGATIVE_INFINITY
  let fault: Outage | undefined = first
  for (let wait = pauseMs.first; fault; wait = Math.min(2 * wait, pauseMs.longest)) {
    const waited = performance.now() - started
    if (waited - reported >= reportEveryMs) {
      log.warn('waiting for a network', {
        network,
        fault: fault.message,
        seconds: Math.round(waited / 1_000),
      })
      reported = waited
    }
    await pause(wait, undefined, { signal }).catch(() => undefined)
    if (signal.aborted) return false
    fault = await tryClaim(claimant, db)
  }
  log.info('the network has come', { network })
  return true
}

/** @returns the outage that prevents it for the moment. @throws when the node is on another chain */
async function tryClaim({ network, node }: Claimant, db: Database): Promise<Outage | undefined> {
  const chain = createChain({ rpc: node.unchecked, network })
  try {
    const { chainId, genesisHash } = await chain.identity()
    if (chainId !== network.chainId)
      throw new Error(`${network.name}: the node is on chain ${chainId}, not ${network.chainId}`)
    if ((await chain.code(network.settlement)) === '0x')
      throw new Error(`${network.name}: there is no settlement contract at ${network.settlement}`)
    await claimNetwork(db, network, genesisHash)
    node.accept()
    return undefined
  } catch (fault) {
    if (fault instanceof Outage) return fault
    throw fault
  }
}
