import { sizeOf } from '../database/shape.ts'
import { readSubjects } from '../database/subjects.ts'
import { checkAnswers, measure, type WorkloadResult } from '../measure.ts'
import { against, number, rounds, seconds, suite } from '../options.ts'
import { formatTable, ratioOf, readColumns, totals } from '../report.ts'
import { fillFlags, prepareDatabase, startServers } from '../setup.ts'
import { unequalAnswers } from './values.ts'
import { documentWorkloads, toMatters } from './workloads.ts'

export const documents = suite({
  name: 'documents',
  about: `
Fills a database, starts the program over it, and sends documents of many shapes. With --against each is sent to the other
checkout too, in turns.

DATABASE_URL names another PostgreSQL: an empty database, or one that the bench filled and may fill anew. SQL is counted
if it loads pg_stat_statements.`,
  flags: {
    ...fillFlags,
    seconds: seconds(5),
    rounds: rounds(3),
    connections: number('requests on their way at a time', 10, 1, 1_000),
    only: {
      form: 'A,B',
      help: 'of the documents, by name',
      read: (text: string | undefined) => text?.split(','),
    },
    against,
  },
  async run(options, undo, print) {
    const { url, filling } = await prepareDatabase(options, undo, print)
    const { systems } = await startServers(options, url, undo, print)
    const subjects = await readSubjects(url, sizeOf(options.orders, options.brief))
    const matters = toMatters(subjects)
    const workloads = await documentWorkloads(systems, matters, options.only)
    await checkAnswers(workloads, matters)
    const differences: string[] = []
    for (const workload of workloads) differences.push(...(await unequalAnswers(workload, matters)))
    const results: WorkloadResult[] = []
    for (const workload of workloads) {
      const rows = await measure(workload, { ...options, databaseUrl: url, subjects: matters, print })
      results.push({ name: workload.name, rows })
    }
    print(`\n${formatTable('document', results, readColumns)}`)
    for (const line of [...totals(results), ...differences]) print(line)
    return {
      filling,
      differences,
      totals: totals(results),
      documents: results.map(({ name, rows }) => ({
        name,
        rows: rows.map((row) => ({ ...row, ratio: ratioOf(row, rows) })),
      })),
      isRight: results.every(({ rows }) => rows.every(({ figures }) => !figures?.errors)),
    }
  },
})
