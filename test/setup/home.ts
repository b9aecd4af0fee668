import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { endOrphanedChain } from '../../src/dev/chain/chain.ts'
import { endOrphanedDatabase } from '../../src/dev/database/database.ts'

export function createTemporaryHome(): string {
  return mkdtempSync(join(tmpdir(), 'tradegraph-test-'))
}

/** Ends all processes of this home, however the test ended. */
export async function removeTemporaryHome(home: string): Promise<void> {
  await Promise.all([endOrphanedDatabase(home), endOrphanedChain(home)])
  rmSync(home, { recursive: true, force: true })
}
