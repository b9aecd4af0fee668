import { setTimeout as pause } from 'node:timers/promises'
import { toAddress } from '../../../domain/evm/address.ts'
import { CommandFault, exitCodes, type Service } from '../service.ts'
import { chooseNetwork } from '../trade/quote.ts'
import { createExportReader, placeIn } from './feed.ts'
import { type Folder, openFolder, type Position, type RangeFile } from './folder.ts'
import { formats } from './table.ts'

/** The flags of `tradegraph export`, as given. */
export interface ExportFlags {
  out: string | undefined
  format: string
  after: string | undefined
  network: string | undefined
  label: readonly string[]
  owner: readonly string[]
  token: readonly string[]
  'app-code': readonly string[]
  referrer: readonly string[]
  class: readonly string[]
  kind: readonly string[]
  rows: string
  follow: boolean
  every: string
  'skip-gap': boolean
}

interface ExportOptions {
  service: Service
  key: string | undefined
  random(): number
  print(line: string): void
  warn(line: string): void
}

/** Parameters of the path that are addresses, whose letter case has no meaning. */
const addresses = ['owner', 'token']
const pageRows = 1_000
/** Pages without events after which the position is kept. */
const pagesToKeep = 50
/** Failures in a row, with pauses of about three minutes between them. */
const patience = 10

/** Writes the feed of the book to files, up to its newest event, or on. @throws CommandFault */
export async function exportFeed(
  flags: ExportFlags,
  { service, key, random, print, warn }: ExportOptions,
): Promise<void> {
  const { out, format, after, follow, network: name } = flags
  const wish = {
    out: out || fault('--out must name a folder'),
    format: formats.find((each) => each === format) ?? fault('--format must be jsonl or parquet'),
    rows: integer('rows', flags.rows, 1_000_000),
    everyMs: integer('every', flags.every, 86_400) * 1_000,
    after:
      after === undefined
        ? undefined
        : after === 'earliest'
          ? 0n
          : (placeIn(after) ?? fault('--after must be a cursor or earliest')),
    filter: filterOf(flags),
  }
  if (key !== undefined && !/^[!-~]{1,1000}$/.test(key)) fault('the key must be visible characters of ASCII')
  const network = await chooseNetwork(name, service)
  const contents = {
    network: network.name,
    chainId: network.chainId,
    format: wish.format,
    filter: wish.filter,
  }
  const folder = await openFolder(wish.out, contents, wish.after)
  const read = createExportReader({
    service,
    network: network.name,
    filter: wish.filter,
    key,
    random,
    patience: follow ? Number.POSITIVE_INFINITY : patience,
    warn,
  })
  const steps = { folder, read, rows: wish.rows, skipsGaps: flags['skip-gap'], print, warn }
  let position = await readToHead(folder.start, steps)
  while (follow) {
    await pause(wish.everyMs)
    position = await readToHead(position, steps)
  }
}

interface Steps {
  folder: Folder
  read: ReturnType<typeof createExportReader>
  rows: number
  skipsGaps: boolean
  print(line: string): void
  warn(line: string): void
}

/** Writes files until no event is left. @returns the position at the head */
async function readToHead(
  start: Position,
  { folder, read, rows, skipsGaps, print, warn }: Steps,
): Promise<Position> {
  let { after, scanned } = start
  let file: RangeFile | undefined
  const finish = async () => {
    if (!file) return
    const count = file.rows()
    print(`${await file.finish(scanned)}: ${count} events`)
    file = undefined
    after = scanned
  }
  for (let pages = 1; ; pages++) {
    const page = await read(scanned, Math.min(pageRows, rows - (file?.rows() ?? 0)))
    if ('gap' in page) {
      await finish()
      const text = `events behind ${scanned === 0n ? 'earliest' : scanned} are no longer kept`
      if (!skipsGaps || page.gap <= scanned)
        throw new CommandFault(exitCodes.gap, text, {
          code: 'FeedGap',
          advice: [
            `Read the state again, then go on with --after ${page.gap}; --skip-gap goes on there by itself.`,
          ],
        })
      warn(`${text}: going on behind ${page.gap}`)
      after = scanned = page.gap
      await folder.save({ after, scanned })
      continue
    }
    if (page.events.length > 0) {
      file ??= await folder.begin(after)
      await file.append(page.events)
    }
    scanned = page.cursor
    if (!page.hasMore || (file?.rows() ?? 0) >= rows) await finish()
    if (scanned > after && !file && (!page.hasMore || pages % pagesToKeep === 0))
      await folder.save({ after, scanned })
    if (!page.hasMore) return { after, scanned }
  }
}

function filterOf(flags: ExportFlags): Record<string, string[]> {
  const given = {
    label: flags.label,
    owner: flags.owner,
    token: flags.token,
    appCode: flags['app-code'],
    referrer: flags.referrer,
    class: flags.class,
    kind: flags.kind,
  }
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, values]) => {
      const spelled = addresses.includes(name)
        ? values.map((value) => toAddress(value) ?? fault(`--${name} must be an address`))
        : values
      return values.length > 0 ? [[name, [...new Set(spelled)].toSorted()]] : []
    }),
  )
}

function integer(name: string, text: string, max: number): number {
  const value = Number(text)
  return /^\d{1,9}$/.test(text) && value >= 1 && value <= max
    ? value
    : fault(`--${name} must be a whole number from 1 to ${max}`)
}

function fault(text: string): never {
  throw new CommandFault(exitCodes.usage, text)
}
