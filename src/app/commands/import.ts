import { Outage } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { toAddress } from '../../domain/evm/address.ts'
import type { Log } from '../../domain/log.ts'
import { type OrderUid, toOrderUid } from '../../domain/order/order.ts'
import { readOldTrades } from '../../indexer/account-history.ts'
import { importAccount, importedOrders, importOrders } from '../../mirror/import.ts'
import type { MirrorMeter, MirrorServices } from '../../mirror/mirror.ts'
import { claimChain } from '../chain/claim.ts'
import type { NetworkConfig } from '../config.ts'
import { openDatabases } from '../databases.ts'
import { composeNetwork, createSharedServices, type NetworkParts } from '../network.ts'
import { bar } from '../observing/progress.ts'
import type { Settings } from '../settings.ts'
import { migrateAtStart } from './migrate.ts'
import { CommandFault, type ExitCode, exitCodes } from './service.ts'

/** The flags of `tradegraph import`, as given. */
interface ImportFlags {
  network?: string | undefined
  account: readonly string[]
  uid: readonly string[]
  'from-block'?: string | undefined
  'to-block'?: string | undefined
  'calls-per-minute'?: string | undefined
  all: boolean
}

interface ImportOptions {
  flags: ImportFlags
  databaseUrl: string
  networks: readonly NetworkConfig[]
  settings: Settings
  log: Log
  /** Shows the progress; `isEnd` for the last time. */
  show(line: string, isEnd: boolean): void
  warn(line: string): void
}

interface Subjects {
  accounts: Address[]
  uids: OrderUid[]
  blocks: { from: number; to: number } | undefined
}

const claimMs = 10_000

/**
 * Mirrors orders of an order book that a network follows: those of accounts, of UIDs, and of trades in a
 * range of blocks. Stored orders are skipped, so the same command continues an import that ended early.
 */
export async function importInto(options: ImportOptions): Promise<ExitCode> {
  const { flags, databaseUrl, settings, log, warn } = options
  try {
    const subjects = subjectsOf(flags)
    const config = chooseNetwork(options)
    const { directUrl, close, ...databases } = await openDatabases(databaseUrl, settings, log)
    try {
      await migrateAtStart(directUrl, options)
      const shared = { settings, log, now: Date.now, random: Math.random, ...databases }
      const parts = composeNetwork(config, { ...shared, ...createSharedServices(shared) })
      const signal = AbortSignal.timeout(claimMs)
      const { claimed } = await claimChain(parts, { db: databases.db, log, signal })
      if (!(await claimed))
        throw new CommandFault(exitCodes.away, `the node of ${config.network.name} does not answer`)
      await importAll(subjects, parts, options)
      return exitCodes.done
    } finally {
      await close()
    }
  } catch (fault) {
    if (fault instanceof Outage) warn(`tradegraph: ${fault.message}; the same command goes on from here`)
    else if (fault instanceof CommandFault) warn(`tradegraph: ${fault.message}`)
    else throw fault
    return fault instanceof CommandFault ? fault.exitCode : exitCodes.away
  }
}

function chooseNetwork({ flags, networks }: ImportOptions): NetworkConfig {
  const followed = networks.filter(({ orderBook }) => orderBook)
  const [chosen, second] = followed.filter(({ network }) => network.name === (flags.network ?? network.name))
  if (chosen && !second) return chosen
  const names = followed.map(({ network }) => network.name).join(', ')
  throw new CommandFault(
    exitCodes.usage,
    names ? `--network must be one of ${names}` : 'no network follows an order book',
  )
}

/** @throws CommandFault that names the flag */
function subjectsOf(flags: ImportFlags): Subjects {
  const accounts = flags.account.map(
    (text) => toAddress(text) ?? refuse('--account must be an address: 0x and 40 hex digits'),
  )
  const uids = flags.uid.map((text) => toOrderUid(text) ?? refuse('--uid must be 0x and 112 hex digits'))
  const [from, to] = [blockOf(flags, 'from-block'), blockOf(flags, 'to-block')]
  const blocks = from === undefined || to === undefined ? undefined : { from, to }
  if ((from === undefined) !== (to === undefined) || (blocks && blocks.to < blocks.from))
    refuse('--from-block and --to-block go together, --from-block not above --to-block')
  if (accounts.length + uids.length === 0 && !blocks)
    refuse('import needs --account, --uid, or --from-block and --to-block')
  return { accounts: [...new Set(accounts)], uids, blocks }
}

function blockOf(flags: ImportFlags, name: 'from-block' | 'to-block'): number | undefined {
  const text = flags[name]
  if (text === undefined) return undefined
  return /^\d{1,15}$/.test(text) ? Number(text) : refuse(`--${name} must be a block number`)
}

/** The calls of this import in a minute: those of the network by default, without a limit at 0. */
function rateOf({ 'calls-per-minute': text }: ImportFlags): number | undefined {
  if (text === undefined) return undefined
  if (!/^\d{1,6}$/.test(text)) return refuse('--calls-per-minute must be a number, 0 for no limit')
  return Number(text) || Number.POSITIVE_INFINITY
}

function refuse(message: string): never {
  throw new CommandFault(exitCodes.usage, message)
}

async function importAll(subjects: Subjects, parts: NetworkParts, options: ImportOptions): Promise<void> {
  const { mirror, network, chain } = parts
  if (!mirror) return
  const progress = createProgress(options)
  const services: MirrorServices = mirror.importing(progress.meter, rateOf(options.flags))
  const { accounts, uids, blocks } = subjects
  const read = importedOrders()
  try {
    if (uids.length > 0) await importOrders(uids, read, services)
    for (const [index, account] of accounts.entries()) {
      progress.at(`account ${index + 1} of ${accounts.length}`, bar(index, accounts.length))
      await importAccount(account, options.flags.all, read, services)
    }
    if (!blocks) return
    const final = (await chain.head()).number - network.finalityBlocks
    const range = { from: blocks.from, to: Math.min(blocks.to, final) }
    if (range.to < blocks.to) options.warn(`tradegraph: the last final block is ${final}`)
    const reading = { ...mirror.oldTrades, ...(await mirror.firstBlocks()) }
    for await (const part of readOldTrades(range, reading)) {
      await importOrders(part.uids, read, services)
      const [done, total] = [part.to - range.from + 1, range.to - range.from + 1]
      progress.at(`block ${part.to} of ${range.to}`, bar(done, total))
    }
  } finally {
    progress.end()
  }
}

const showEveryMs = 250

/** Counts orders, and shows the counts with their rate. */
function createProgress({ show }: Pick<ImportOptions, 'show'>) {
  const counts = { stored: 0, compared: 0, refused: 0, missing: 0 }
  const startedAt = performance.now()
  let [place, done] = ['', '']
  let shownAt = 0
  const line = () => {
    const { stored, compared, refused, missing } = counts
    const rate = Math.round((stored * 1_000) / Math.max(1, performance.now() - startedAt))
    const parts = [
      `${stored} orders stored`,
      `${compared} were stored before`,
      ...(missing > 0 ? [`${missing} are not there`] : []),
      ...(refused > 0 ? [`${refused} are not true`] : []),
      `${rate} a second`,
      place,
    ]
    return [done, parts.filter(Boolean).join(', ')].filter(Boolean).join(' ')
  }
  const update = () => {
    if (performance.now() - shownAt < showEveryMs) return
    shownAt = performance.now()
    show(line(), false)
  }
  const count = (of: keyof typeof counts, by: number) => {
    counts[of] += by
    update()
  }
  const meter: MirrorMeter = {
    stored: (by) => count('stored', by),
    compared: (by) => count('compared', by),
    refused: () => count('refused', 1),
    missing: (by) => count('missing', by),
    looked: () => undefined,
    unverified: () => undefined,
    competitions: () => undefined,
    unknownMembers: () => undefined,
  }
  return {
    meter,
    at(text: string, share: string) {
      place = text
      done = share
      update()
    },
    end() {
      done = ''
      show(line(), true)
    },
  }
}
