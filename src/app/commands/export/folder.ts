import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { isObject, jsonIn } from '../../../outside/http-json.ts'
import { CommandFault, exitCodes } from '../service.ts'
import { type ExportedEvent, placeIn } from './feed.ts'
import { type Format, openTable } from './table.ts'

/** The properties that all files of a folder share. */
interface Contents {
  network: string
  chainId: number
  format: Format
  filter: Readonly<Record<string, readonly string[]>>
}

/** A place in the feed: the end of the last file, and how far the feed behind it has no events. */
export interface Position {
  /** The place at which the next file begins. */
  after: bigint
  scanned: bigint
}

/** A file that is written, under another name until it is whole. */
export interface RangeFile {
  rows(): number
  append(events: readonly ExportedEvent[]): Promise<void>
  /** Gives the file its name. @returns the name @throws CommandFault if another export has written here */
  finish(to: bigint): Promise<string>
}

export interface Folder {
  start: Position
  begin(after: bigint): Promise<RangeFile>
  /** Keeps a position behind the last file. */
  save(position: Position): Promise<void>
}

const manifestName = 'export.json'
const rangeForm = /^book-\d+-(\d{20})-(\d{20})\.(?:jsonl|parquet)$/
const unfinishedForm = /^\.book-\d+-.*\.part$/

const padded = (place: bigint) => String(place).padStart(20, '0')
const usage = (text: string) => new CommandFault(exitCodes.usage, text)

/**
 * Opens a folder of ranges, and removes what a killed export has left.
 * @param wanted place at which an empty folder begins, and behind which all are to go on; 0 is the earliest
 * @throws CommandFault where the folder holds something else
 */
export async function openFolder(
  folder: string,
  contents: Contents,
  wanted: bigint | undefined,
): Promise<Folder> {
  await mkdir(folder, { recursive: true })
  const of = (name: string) => path.join(folder, name)
  const names = await readdir(folder)
  const ranges = rangesIn(names)
  const last = ranges.at(-1)
  const manifest = names.includes(manifestName) ? jsonIn(await readFile(of(manifestName), 'utf8')) : undefined
  if (manifest === undefined && (last || names.includes(manifestName)))
    throw usage(`${folder} holds files of the feed without a readable ${manifestName}: name another folder`)
  if (manifest !== undefined) {
    const held = isObject(manifest) ? manifest : {}
    for (const name of ['network', 'chainId', 'format', 'filter'] as const)
      if (JSON.stringify(held[name]) !== JSON.stringify(contents[name]))
        throw usage(
          `${folder} holds an export with ${name} ${JSON.stringify(held[name])}, not ${JSON.stringify(contents[name])}: name another folder`,
        )
  }
  const kept = isObject(manifest) ? keptPosition(manifest.next) : undefined
  const first = ranges[0]?.after ?? kept?.after
  if (wanted !== undefined && first !== undefined && wanted < first)
    throw usage(`${folder} begins behind ${first}: name another folder for earlier events`)
  for (const name of names) if (unfinishedForm.test(name)) await rm(of(name), { force: true })

  let end = last?.to
  const start = startOf(end, kept, wanted)

  /** Writes a file whole or not at all. */
  async function save({ after, scanned }: Position): Promise<void> {
    const next = { after: String(after), scanned: String(scanned) }
    const temporary = of(`.book-0-manifest-${process.pid}.part`)
    const file = await open(temporary, 'w')
    try {
      await file.writeFile(`${JSON.stringify({ ...contents, next }, null, 2)}\n`)
      await file.sync()
    } finally {
      await file.close()
    }
    await moveInto(temporary, manifestName)
  }

  async function moveInto(temporary: string, name: string): Promise<void> {
    await rename(temporary, of(name))
    const directory = await open(folder, 'r')
    await directory.sync().finally(() => directory.close())
  }

  let isNew = manifest === undefined
  return {
    start,
    save: async (position) => {
      await save(position)
      isNew = false
    },
    async begin(after) {
      if (isNew) await save({ after, scanned: after })
      isNew = false
      const stem = `book-${contents.chainId}-${padded(after)}`
      const temporary = of(`.${stem}-${process.pid}.part`)
      const file = await open(temporary, 'w')
      const table = await openTable(contents, (bytes) => file.appendFile(bytes))
      let rows = 0
      return {
        rows: () => rows,
        async append(events) {
          await table.append(events)
          rows += events.length
        },
        async finish(to) {
          const name = `${stem}-${padded(to)}.${contents.format}`
          try {
            await table.finish()
            await file.sync()
          } finally {
            await file.close()
          }
          const newest = rangesIn(await readdir(folder)).at(-1)
          if (newest?.to !== end)
            throw new CommandFault(exitCodes.refused, `another export writes to ${folder}`)
          await moveInto(temporary, name)
          end = to
          return name
        },
      }
    },
  }
}

/** Ranges by the names of files, oldest first. */
function rangesIn(names: readonly string[]): { after: bigint; to: bigint }[] {
  return names
    .flatMap((name) => {
      const [, after, to] = rangeForm.exec(name) ?? []
      return after === undefined || to === undefined ? [] : [{ after: BigInt(after), to: BigInt(to) }]
    })
    .toSorted((a, b) => (a.to < b.to ? -1 : 1))
}

function startOf(end: bigint | undefined, kept: Position | undefined, wanted = 0n): Position {
  const behind = { after: end ?? 0n, scanned: end ?? 0n }
  // A kept position counts until a file has passed it.
  const next = kept && (end === undefined || kept.after >= end) ? kept : behind
  const isFresh = end === undefined && !kept
  return isFresh || wanted > next.scanned ? { after: wanted, scanned: wanted } : next
}

function keptPosition(next: unknown): Position | undefined {
  const { after, scanned } = isObject(next) ? next : {}
  const [from, to] = [placeIn(after), placeIn(scanned)]
  return from === undefined || to === undefined ? undefined : { after: from, scanned: to }
}
