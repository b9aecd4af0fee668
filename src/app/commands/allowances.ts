import { chunksOf, type Rpc } from '../../chain/rpc/rpc.ts'
import { parseIndex } from '../../chain/rpc/wire.ts'
import { encodeEndings, gasOfRight, readRights } from '../../chain/settlement/rights.ts'
import { createSettlementSequence } from '../../chain/settlement/sequence.ts'
import { createSettler, type Settler } from '../../chain/settlement/settler.ts'
import { formatUnits, minOf } from '../../domain/amount.ts'
import { type Address, toAddress } from '../../domain/evm/address.ts'
import { type Log, unixSeconds } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import { type LoggedRight, rightText } from '../../domain/settlement/rights.ts'
import { plain } from '../../domain/text/readable.ts'
import { createMetrics } from '../../server/metrics.ts'
import { findHoldingIndex, settlementRights } from '../../storage/chain/settlement-holdings.ts'
import type { Database } from '../../storage/database/database.ts'
import { maxFeeOf } from '../auctions.ts'
import { composeAccounts } from '../chain/accounts.ts'
import { claimChain } from '../chain/claim.ts'
import { composeNodes } from '../chain/nodes.ts'
import type { NetworkConfig } from '../config.ts'
import type { Settings } from '../settings.ts'
import { CommandFault, type ExitCode, exitCodes } from './service.ts'

/** The flags of `tradegraph allowances`, as given. */
export interface AllowanceFlags {
  network?: string | undefined
  token?: string | undefined
  spender?: string | undefined
  yes: boolean
  json: boolean
}

const allowanceActions = ['list', 'revoke'] as const
export type AllowanceAction = (typeof allowanceActions)[number]

interface AllowanceOptions {
  flags: AllowanceFlags
  networks: readonly NetworkConfig[]
  settings: Settings
  db: Database
  log: Log
  print(line: string): void
  warn(line: string): void
}

/** Limit of rights in one run. */
const maxRights = 1_000
/** Limits of one settlement. */
const maxGroupGas = 5_000_000n
const maxCalls = 100
/** Estimates in one round trip. */
const atOnce = 10
const claimMs = 10_000
/** Time after which a settlement that is not mined is cancelled. */
const waitMs = 300_000

/** A network with its nodes, which are on the right chain. */
interface Place {
  network: Network
  rpc: Rpc
  settler: Settler | undefined
}

/**
 * Prints the existing rights that settlement contracts gave, or ends them.
 * @returns 1 if some cannot be ended
 * @throws Outage
 */
export async function allowances(action: AllowanceAction, options: AllowanceOptions): Promise<ExitCode> {
  const { flags, warn } = options
  try {
    const filter = { token: addressOf('token', flags.token), grantee: addressOf('spender', flags.spender) }
    let code: ExitCode = exitCodes.done
    for (const config of chooseNetworks(action, options)) {
      const place = await connect(config, options)
      const rights = await findRights(place, filter, options)
      if (action === 'list') list(place, rights, options)
      else if (!(await revoke(place, rights, options))) code = exitCodes.refused
    }
    return code
  } catch (fault) {
    if (!(fault instanceof CommandFault)) throw fault
    warn(`tradegraph: ${fault.message}`)
    return fault.exitCode
  }
}

function chooseNetworks(action: AllowanceAction, { flags, networks }: AllowanceOptions): NetworkConfig[] {
  const chosen = networks.filter(({ network }) => network.name === (flags.network ?? network.name))
  if (chosen.length === 0 || (action === 'revoke' && chosen.length > 1))
    throw new CommandFault(
      exitCodes.usage,
      `--network must be one of ${networks.map(({ network }) => network.name).join(', ')}`,
    )
  return chosen
}

function addressOf(flag: string, text: string | undefined): Address | undefined {
  const address = text === undefined ? undefined : toAddress(text)
  if (text !== undefined && !address)
    throw new CommandFault(exitCodes.usage, `--${flag} must be an address: 0x and 40 hex digits`)
  return address
}

async function connect(config: NetworkConfig, { settings, db, log }: AllowanceOptions): Promise<Place> {
  const { network } = config
  const metrics = createMetrics(false).chain
  const { nodes, privateEndpoint } = composeNodes({ config, settings, metrics, now: Date.now, log })
  const { claimed } = await claimChain({ network, nodes }, { db, log, signal: AbortSignal.timeout(claimMs) })
  if (!(await claimed))
    throw new CommandFault(exitCodes.refused, `the node of ${network.name} does not answer`)
  const rpc = nodes.connect({ timeoutMs: settings.RPC_TIMEOUT_MS })
  const { SOLVER_PRIVATE_KEY: privateKey, SETTLEMENT_MAX_GAS } = settings
  const maxGas = BigInt(SETTLEMENT_MAX_GAS)
  const settler =
    privateKey &&
    createSettler({
      rpc,
      network,
      privateKey,
      privateEndpoint,
      maxGas,
      log,
      maxFeePerGas: maxFeeOf(settings),
      sequence: createSettlementSequence(rpc, network, maxGas),
      balances: composeAccounts({ network, rpc, settings, log, metrics }).solvers,
    })
  return { network, rpc, settler }
}

/** Finds the rights that exist now, and reports gaps. */
async function findRights(
  { network, rpc }: Place,
  filter: { token: Address | undefined; grantee: Address | undefined },
  { db, warn }: AllowanceOptions,
): Promise<LoggedRight[]> {
  const { chainId, name } = network
  const [index, stored, head] = await Promise.all([
    findHoldingIndex(db, chainId),
    settlementRights(db, chainId, { ...filter, limit: maxRights }),
    rpc.call('eth_blockNumber').then(parseIndex),
  ])
  const known = index ? `up to block ${index.block} of ${head}` : 'not at all'
  if (!index || head - index.block > network.finalityBlocks)
    warn(`${name}: logs are read ${known}: there may be more rights. The role \`index\` reads them`)
  if (index?.missedBlock != null)
    warn(`${name}: rights given in block ${index.missedBlock} or later may not be known`)
  if (stored.length === maxRights) warn(`${name}: these are the oldest of more than ${maxRights} rights`)
  return readExisting(rpc, network, stored)
}

async function readExisting(
  rpc: Rpc,
  { settlement }: Network,
  rights: Parameters<typeof readRights>[2],
): Promise<LoggedRight[]> {
  const read = await readRights(rpc, settlement, rights, { now: unixSeconds(Date.now()) })
  return read.filter(({ value }) => value > 0n)
}

function list({ network: { name } }: Place, rights: readonly LoggedRight[], options: AllowanceOptions): void {
  const { flags, print } = options
  for (const right of rights) {
    const { kind, contract, grantee, subject, value } = right
    const fields = { network: name, kind, contract, grantee, subject, value: String(value) }
    print(flags.json ? JSON.stringify(fields) : `${name}: ${rightText(right)}`)
  }
  if (rights.length === 0 && !flags.json) print(`${name}: the settlement contract gave no right that exists`)
}

interface Ending {
  right: LoggedRight
  gas: bigint
}

/** @returns true if all of them are ended, or would be */
async function revoke(
  place: Place,
  rights: readonly LoggedRight[],
  { flags, print, warn, settings }: AllowanceOptions,
): Promise<boolean> {
  const { network, settler } = place
  const { name } = network
  if (!settler) throw new CommandFault(exitCodes.usage, 'SOLVER_PRIVATE_KEY: is needed for this command')
  let isWhole = true
  const keep = (right: LoggedRight, reason: string) => {
    isWhole = false
    warn(plain(`${name}: cannot end ${rightText(right)}: ${reason}`))
  }
  const endings: Ending[] = []
  for (const group of chunksOf(rights, atOnce)) {
    const simulations = await Promise.all(
      group.map((right) => settler.simulate(encodeEndings([right], network.settlement))),
    )
    for (const [index, right] of group.entries()) {
      const simulation = simulations[index] ?? { revert: 'not simulated' }
      if ('revert' in simulation) keep(right, simulation.revert)
      else if (simulation.gas > gasOfRight) keep(right, `it takes ${simulation.gas} gas`)
      else endings.push({ right, gas: simulation.gas })
    }
  }
  if (rights.length === 0) print(`${name}: the settlement contract gave no right that exists`)
  const groups = groupsOf(endings, minOf(maxGroupGas, BigInt(settings.SETTLEMENT_MAX_GAS)))
  if (!flags.yes) {
    for (const { right } of endings) print(`${name}: would end ${rightText(right)}`)
    const gas = endings.reduce((sum, ending) => sum + ending.gas, 0n)
    const maxCoins = formatUnits(gas * maxFeeOf(settings), 18)
    if (endings.length > 0)
      print(
        `${name}: ${groups.length} settlements by ${settler.address}, at most ${gas} gas and ${maxCoins} coins; --yes sends them`,
      )
    return isWhole
  }
  for (const group of groups) await end(group)
  return isWhole

  /** Halves a group that cannot be sent: one failing call must not block the other calls. */
  async function end(group: readonly Ending[]): Promise<void> {
    const ended = group.map(({ right }) => right)
    const outcome = await submit(place, settler as Settler, ended)
    if (outcome.outcome === 'success') {
      print(`${name}: settled in block ${outcome.block} by ${outcome.txHash}`)
      const left = await readExisting(place.rpc, network, ended)
      const isLeft = new Set(left.map(keyOf))
      for (const right of ended) if (!isLeft.has(keyOf(right))) print(`${name}: ended ${rightText(right)}`)
      for (const right of left) keep(right, 'its contract keeps it')
      return
    }
    const isSent = 'txHash' in outcome && outcome.txHash !== undefined
    const reason = 'reason' in outcome ? outcome.reason : outcome.outcome
    if (isSent || group.length === 1) {
      for (const right of ended) keep(right, `${isSent ? `${outcome.txHash}: ` : ''}${reason}`)
      return
    }
    const middle = Math.ceil(group.length / 2)
    await end(group.slice(0, middle))
    await end(group.slice(middle))
  }
}

async function submit({ network, rpc }: Place, settler: Settler, rights: readonly LoggedRight[]) {
  const head = parseIndex(await rpc.call('eth_blockNumber'))
  return settler.submit(encodeEndings(rights, network.settlement), {
    deadlineBlock: head + Math.max(20, Math.ceil(waitMs / network.blockTimeMs)),
    signal: new AbortController().signal,
    gas: maxGroupGas,
    // No auction owns it, so it is not recorded.
    record: async () => undefined,
    recordCancellation: async () => undefined,
    isWanted: async () => true,
  })
}

/** Groups of endings, in their order. */
function groupsOf(endings: readonly Ending[], gasLimit: bigint): Ending[][] {
  const groups: Ending[][] = []
  let gas = 0n
  for (const ending of endings) {
    const last = groups.at(-1)
    gas += ending.gas
    if (last && last.length < maxCalls && gas <= gasLimit) last.push(ending)
    else {
      groups.push([ending])
      gas = ending.gas
    }
  }
  return groups
}

const keyOf = ({ kind, contract, grantee, subject }: LoggedRight) => [kind, contract, grantee, subject].join()
