import type { Log } from '../../domain/log.ts'
import { applyMigrations, findPendingMigrations, type Migration } from '../../storage/database/migrations.ts'
import { migrationBar } from '../observing/progress.ts'

/**
 * Applies pending migrations, or with `dryRun` only prints them.
 * @throws when this version does not fit the database
 */
export async function migrate(
  url: string,
  { dryRun, print }: { dryRun: boolean; print(line: string): void },
): Promise<void> {
  const pending = dryRun ? await findPendingMigrations(url) : []
  for (const migration of pending) print(scriptOf(migration))
  const onWait = () => print('-- another process migrates: waiting for it')
  const applied = dryRun
    ? []
    : await applyMigrations(url, { onWait, onProgress: migrationBar(process.stderr) })
  for (const name of applied) print(`-- applied ${name}`)
  if (pending.length + applied.length === 0) print('-- nothing is pending')
}

/**
 * @throws when this version does not fit the database, or a migration is pending with
 *   MIGRATE_AT_START=false
 */
export async function migrateAtStart(
  url: string,
  { settings, log }: { settings: { MIGRATE_AT_START: boolean }; log: Log },
): Promise<void> {
  if (!settings.MIGRATE_AT_START) {
    const [first] = await findPendingMigrations(url)
    if (first) throw new Error(`the database lacks migration ${first.name}: run \`tradegraph migrate\` first`)
    return
  }
  const onWait = () => log.info('another process migrates the database, waiting for it')
  const applied = await applyMigrations(url, { onWait, onProgress: migrationBar(process.stderr) })
  if (applied.length > 0) log.info('database migrated', { applied })
}

function scriptOf({ name, script }: Migration): string {
  const [, , needs] = raisesFloor.exec(script) ?? []
  const contract = needs === undefined ? '' : `\n-- afterwards no version without ${needs} can run`
  return `-- migration ${name}${contract}\n${script.trim()}\n`
}

/** Marks a migration that removes something: its name, and one that versions have to know from then on. */
const raisesFloor = /^INSERT INTO "schema_floors" \("migration", "needs"\) VALUES \('(\w+)', '(\w+)'\);$/m
