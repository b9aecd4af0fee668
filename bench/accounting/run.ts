import { readFileSync } from 'node:fs'
import path from 'node:path'
import { parseArgs } from 'node:util'
import { askNode } from './chain.ts'
import { accountingFromChain } from './from-chain.ts'
import { createRecords } from './records.ts'

// node --import tsx bench/accounting/run.ts --rpc URL --service URL/network --settlement ADDRESS \
//   --wrapped ADDRESS --from BLOCK --to BLOCK [--block-time MS] [--exported FOLDER of ID.json]

const { values } = parseArgs({
  options: {
    rpc: { type: 'string', default: 'http://127.0.0.1:8545' },
    service: { type: 'string', default: 'http://127.0.0.1:4000/local' },
    settlement: { type: 'string', default: '' },
    wrapped: { type: 'string', default: '' },
    from: { type: 'string', default: '0' },
    to: { type: 'string', default: '0' },
    'block-time': { type: 'string', default: '12000' },
    exported: { type: 'string' },
  },
})

function exported(auctionId: bigint): string | undefined {
  if (values.exported === undefined) return undefined
  try {
    return readFileSync(path.join(values.exported, `${auctionId}.json`), 'utf8')
  } catch {
    return undefined
  }
}

const csv = await accountingFromChain({
  ask: askNode(values.rpc),
  contracts: { settlement: values.settlement.toLowerCase(), wrappedNative: values.wrapped.toLowerCase() },
  records: createRecords(values.service, exported),
  network: path.posix.basename(values.service),
  from: Number(values.from),
  to: Number(values.to),
  blockTimeMs: Number(values['block-time']),
})
process.stdout.write(`${csv}\n`)
