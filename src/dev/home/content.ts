import { readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { Log } from '../../domain/log.ts'
import { endLeftChain } from '../chain/chain.ts'
import { endLeftDatabase } from '../database/database.ts'
import { fileExists, readJson, writeDurably } from './durable-file.ts'

/** Every name that a home may hold. Nothing else in the folder is ours, and nothing else is ever removed. */
const made =
  /^(database|emptying|chain\.log|owner\.json(\.\d+(\.left)?)?|(home|dev|chain|chain-state)\.json(\.new)?|chain-state\.previous\.json)$/

const homeMark = z.object({ tradegraph: z.literal('home') })

/** What stands in the folder for as long as it is a home: a reset may empty it. */
export function markHome(path: string): void {
  if (!isMarked(path)) writeDurably(join(path, 'home.json'), JSON.stringify({ tradegraph: 'home' }))
}

export function isMarked(path: string): boolean {
  return homeMark.safeParse(readJson(join(path, 'home.json'))).success
}

/** Name of a file that stands in the folder while it is being emptied. */
const emptying = 'emptying'

/** A program was killed while it emptied the folder. */
export function isHalfEmptied(path: string): boolean {
  return fileExists(join(path, emptying))
}

/** Half-emptied is worse than full: the mark makes the next program finish what a killed one began. */
export async function emptyHome(path: string, log: Log): Promise<void> {
  writeFileSync(join(path, emptying), '')
  await Promise.all([endLeftDatabase(path), endLeftChain(path)])
  const content = readdirSync(path)
  for (const name of content) {
    const stays = name === 'owner.json' || name === 'home.json' || name === emptying
    if (made.test(name) && !stays) rmSync(join(path, name), { recursive: true, force: true, maxRetries: 5 })
  }
  rmSync(join(path, emptying))
  const foreign = content.filter((name) => !made.test(name))
  if (foreign.length > 0)
    log.warn(`the reset leaves what is not Tradegraph's in ${path}: ${foreign.join(', ')}`)
}
