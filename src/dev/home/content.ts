import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '../../domain/log.ts'
import { endOrphanedChain } from '../chain/chain.ts'
import { endOrphanedDatabase } from '../database/database.ts'
import { fileExists, readJson, writeDurably } from './durable-file.ts'

/** Names of the files and folders of a home. No others are ever removed. */
const ownNames =
  /^(database|emptying|chain\.log|owner\.json(\.\d+(\.left)?)?|(home|dev|secrets|chain|chain-state)\.json(\.new)?|chain-state\.previous\.json)$/

const homeMark = z.object({ tradegraph: z.literal('home') })

/** Marks the folder as a home, which a reset may empty. */
export function markHome(path: string): void {
  if (!isMarked(path)) writeDurably(join(path, 'home.json'), JSON.stringify({ tradegraph: 'home' }))
}

export function isMarked(path: string): boolean {
  return homeMark.safeParse(readJson(join(path, 'home.json'))).success
}

/** Name of a file that exists while the folder is being emptied. */
const emptying = 'emptying'

/** Whether a program was killed while it emptied the folder. */
export function isHalfEmptied(path: string): boolean {
  return fileExists(join(path, emptying))
}

/** A half-empty home is unusable: if this program is killed, the file `emptying` makes the next one finish. */
export async function emptyHome(path: string, log: Log): Promise<void> {
  writeFileSync(join(path, emptying), '')
  await Promise.all([endOrphanedDatabase(path), endOrphanedChain(path)])
  const content = readdirSync(path)
  for (const name of content) {
    const isKept = name === 'owner.json' || name === 'home.json' || name === emptying
    if (ownNames.test(name) && !isKept)
      rmSync(join(path, name), { recursive: true, force: true, maxRetries: 5 })
  }
  rmSync(join(path, emptying))
  const foreign = content.filter((name) => !ownNames.test(name))
  if (foreign.length > 0)
    log.warn(`the reset leaves what is not Tradegraph's in ${path}: ${foreign.join(', ')}`)
}
