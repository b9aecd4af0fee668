import { sizeOf } from '../database/shape.ts'
import { readSubjects } from '../database/subjects.ts'
import { checkAnswers, measure } from '../measure.ts'
import type { Options } from '../options.ts'
import { prepareDatabase, startServers, type Undo } from '../setup.ts'
import { toMatters } from './matters.ts'
import { type DocumentResult, formatSummary, ratioOf, totals } from './summary.ts'
import { unequalAnswers } from './values.ts'
import { documentWorkloads } from './workloads.ts'

/** Measures every document on each system in turns. */
export async function runDocuments(options: Options, undo: Undo, print: (line: string) => void) {
  const { url, filling } = await prepareDatabase(options, undo, print)
  const { servers, orderBook, withoutPostgraphile } = await startServers(options, url, undo, print)
  if (withoutPostgraphile) print(`PostGraphile is skipped: ${withoutPostgraphile}`)
  const { orders } = await readSubjects(
    url,
    sizeOf(options.orders, options.brief),
    options.subjects === 'whole',
  )
  const matters = toMatters(orders)
  const workloads = await documentWorkloads(servers, matters, options)
  await checkAnswers(workloads, matters)
  const differences: string[] = []
  for (const workload of workloads) differences.push(...(await unequalAnswers(workload, matters)))
  const results: DocumentResult[] = []
  for (const workload of workloads) {
    const rows = await measure(workload, { ...options, databaseUrl: url, subjects: matters, print })
    results.push({ name: workload.name, rows })
  }
  print(`\n${formatSummary(results)}`)
  if (orderBook) print(`requests to the order book: ${orderBook.requests()}`)
  for (const difference of differences) print(difference)
  return {
    filling,
    withoutPostgraphile,
    differences,
    totals: totals(results),
    documents: results.map(({ name, rows }) => ({
      name,
      rows: rows.map((row) => ({ ...row, ratio: ratioOf(row, rows) })),
    })),
    right: results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors)),
  }
}
