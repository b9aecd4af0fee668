import { setTimeout as pause } from 'node:timers/promises'
import { balanceGuardCode } from '../../chain/bytecode.generated.ts'
import { createChain } from '../../chain/chain.ts'
import type { NetworkNode } from '../../chain/rpc/nodes.ts'
import type { Rpc } from '../../chain/rpc/rpc.ts'
import { available, parseHex, parseIndex } from '../../chain/rpc/wire.ts'
import { Outage } from '../../domain/errors/error.ts'
import { type Address, zeroAddress } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { claimNetwork } from '../../storage/chain/networks.ts'
import type { Database } from '../../storage/database/database.ts'
import type { NetworkParts } from '../network.ts'

type Claimant = Pick<NetworkParts, 'network' | 'nodes'> & Partial<Pick<NetworkParts, 'mirror'>>

interface ClaimOptions {
  db: Database
  log: Log
  signal: AbortSignal
}

const pauseMs = { first: 250, max: 2_000 }
/** Interval of its reports while it waits. */
const reportEveryMs = 60_000

/**
 * Checks that the nodes are on the chain of the database, and opens them to their clients: one of them is
 * enough. If all are away, this continues in the background.
 * @returns `claimed`: false if `signal` aborts before; it rejects when a node that came back is on another
 *   chain
 * @throws when a node is on another chain
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
  for (let wait = pauseMs.first; fault; wait = Math.min(2 * wait, pauseMs.max)) {
    const waited = performance.now() - started
    if (waited - reported >= reportEveryMs) {
      log.warn('waiting for a network', {
        network,
        fault: fault.cause instanceof Error ? fault.cause.message : fault.message,
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

/** @returns the outage that prevents it now. @throws when a node is on another chain */
async function tryClaim({ network, nodes, mirror }: Claimant, db: Database): Promise<Outage | undefined> {
  const outages: Outage[] = []
  await Promise.all(
    nodes.list.map(async (node) => {
      const outage = await tryNode(network, node, db)
      if (outage) outages.push(outage)
    }),
  )
  if (outages.length === nodes.list.length) return outages[0]
  try {
    await mirror?.claim()
    return undefined
  } catch (fault) {
    if (fault instanceof Outage) return fault
    throw fault
  }
}

/** A fault of a row of NETWORKS_FILE, as its node shows, with advice. */
interface RowFault {
  says: string
  advice: string
  /** It ends by itself once the node has synchronized. */
  mayPass?: true
}

const otherWays: Readonly<Record<string, string>> = {
  settlement: ', or another PROFILE',
  poolFactory: `, or ${zeroAddress} for no pools`,
}

/** Compares a row of NETWORKS_FILE with the chain of a node. @throws Outage */
export async function findRowFaults(rpc: Rpc, network: Network): Promise<RowFault[]> {
  const { settlement, wrappedNative, poolFactory, balanceGuard, firstBlock } = network
  const named = { settlement, wrappedNative, ...(poolFactory !== zeroAddress && { poolFactory }) }
  const codeAt = async (at: Address) => parseHex(await available(rpc.call('eth_getCode', [at, 'latest'])))
  const [head, guard, ...codes] = await Promise.all([
    available(rpc.call('eth_blockNumber')).then(parseIndex),
    balanceGuard && codeAt(balanceGuard),
    ...Object.entries(named).map(async ([name, at]) => ({ name, at, code: await codeAt(at) })),
  ])
  const faults: RowFault[] = codes
    .filter(({ code }) => code === '0x')
    .map(({ name, at }) => ({
      says: `has no code at ${name} ${at}`,
      advice: `name the contract of this chain in NETWORKS_FILE${otherWays[name] ?? ''}`,
    }))
  if (guard !== undefined && guard !== balanceGuardCode)
    faults.push({
      says: `has other code than BalanceGuard at balanceGuard ${balanceGuard}`,
      advice: 'deploy it, or leave balanceGuard out: see docs/how-to/run-on-a-real-network.md',
    })
  if (firstBlock > head)
    faults.push({
      says: `is at block ${head}, before firstBlock ${firstBlock}`,
      advice: 'set a lower firstBlock in NETWORKS_FILE, or wait until the node has synchronized',
      mayPass: true,
    })
  return faults
}

async function tryNode(network: Network, node: NetworkNode, db: Database): Promise<Outage | undefined> {
  const chain = createChain({ rpc: node.unchecked, network })
  try {
    const { chainId, genesisHash } = await chain.identity()
    if (chainId !== network.chainId)
      throw new Error(`${network.name}: the node is on chain ${chainId}, not ${network.chainId}`)
    const faults = await findRowFaults(node.unchecked, network)
    const text = faults.map(({ says, advice }) => `${network.name}: the node ${says}: ${advice}`).join('\n')
    if (faults.some(({ mayPass }) => !mayPass)) throw new Error(text)
    if (faults.length > 0) return new Outage(`the node of ${network.name}`, new Error(text))
    await claimNetwork(db, network, genesisHash)
    node.accept()
    return undefined
  } catch (fault) {
    if (fault instanceof Outage) return fault
    throw fault
  }
}

/** Opens nodes that were away when the network was claimed, as they return, except those on another chain. */
export async function claimOtherNodes(
  { network, nodes }: Pick<Claimant, 'network' | 'nodes'>,
  { db, log, signal }: ClaimOptions,
): Promise<void> {
  const wrong = new Set<NetworkNode>()
  const missing = () => nodes.list.filter((node) => node.state() === 'unchecked' && !wrong.has(node))
  while (missing().length > 0) {
    await pause(pauseMs.max, undefined, { signal, ref: false }).catch(() => undefined)
    if (signal.aborted) return
    for (const node of missing()) {
      await tryNode(network, node, db).catch((fault) => {
        wrong.add(node)
        log.error('a node is not used', { node: nodes.list.indexOf(node) + 1, fault: String(fault) })
      })
    }
  }
}
