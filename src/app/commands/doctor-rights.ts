import { createRpc } from '../../chain/rpc/rpc.ts'
import { parseIndex } from '../../chain/rpc/wire.ts'
import { readRights } from '../../chain/settlement/rights.ts'
import { type Log, unixSeconds } from '../../domain/log.ts'
import { rightText } from '../../domain/settlement/rights.ts'
import { findHoldingIndex, settlementRights } from '../../storage/chain/settlement-holdings.ts'
import { type Database, openDatabase } from '../../storage/database/database.ts'
import type { NetworkConfig } from '../config.ts'
import type { Settings } from '../settings.ts'
import { type Check, good, poor } from './check.ts'

const timeoutMs = 5_000
/** Rights that are read, and those that are named. */
const mostRead = 500
const mostNamed = 10

/** The rights that each settlement contract gave, by what the role `index` has stored. What keeps it from that, other checks say. */
export async function checkRights(
  networks: readonly NetworkConfig[],
  { DATABASE_URL, DATABASE_DIRECT_URL }: Settings,
  log: Log,
): Promise<Check[]> {
  const url = DATABASE_DIRECT_URL ?? DATABASE_URL
  if (url === undefined || networks.length === 0) return []
  const db = openDatabase({ url, maxConnections: 1 })
  try {
    const checks = await Promise.all(
      networks.map((config) => checkNetwork(config, db, log).catch((): Check[] => [])),
    )
    return checks.flat()
  } finally {
    await db.close().catch(() => undefined)
  }
}

async function checkNetwork({ network, rpcUrl }: NetworkConfig, db: Database, log: Log): Promise<Check[]> {
  const { chainId, name, settlement, finalityBlocks } = network
  const about = `${name}: rights`
  const url = typeof rpcUrl === 'string' ? rpcUrl : (rpcUrl[0] ?? '')
  const rpc = createRpc({ url, timeoutMs, retries: 0, log })
  const index = await findHoldingIndex(db, chainId)
  if (!index)
    return [
      poor(
        about,
        'it is not known which ones the settlement contract gave',
        'the role `index` reads it from logs',
      ),
    ]
  const stored = await settlementRights(db, chainId, { limit: mostRead })
  const [read, head] = await Promise.all([
    readRights(rpc, settlement, stored, { now: unixSeconds(Date.now()) }),
    rpc.call('eth_blockNumber').then(parseIndex),
  ])
  const open = read.filter(({ value }) => value > 0n)
  const count = stored.length === mostRead ? `at least ${open.length}` : `${open.length}`
  const checks = open
    .slice(0, mostNamed)
    .map((right) =>
      poor(
        about,
        rightText(right),
        'end it with `tradegraph allowances revoke`, unless a contract that you trust needs it',
      ),
    )
  if (open.length > mostNamed)
    checks.push(poor(about, `${count} in all`, '`tradegraph allowances list` prints them'))
  if (index.missedBlock !== null)
    checks.push(
      poor(
        about,
        `those given in block ${index.missedBlock} or later may not be known`,
        'see docs/how-to/allowances.md',
      ),
    )
  if (head - index.block > finalityBlocks)
    checks.push(
      poor(about, `logs are read up to block ${index.block} of ${head}`, 'the role `index` catches up'),
    )
  return checks.length > 0
    ? checks
    : [good(about, `the settlement contract gave none, up to block ${index.block}`)]
}
