import type { Subject } from '../database/subjects.ts'
import { askOnce } from '../load/turn.ts'
import type { Row, Workload } from '../measure.ts'

const compared = 5

/** Returns a difference between the systems: the same request must return as many values. */
export async function unequalAnswers(
  { name, rows }: Workload,
  subjects: readonly Subject[],
): Promise<string[]> {
  const faults: string[] = []
  const [first, ...others] = rows.filter(({ skipped }) => skipped === undefined)
  for (const other of others) {
    for (const subject of subjects.slice(0, compared)) {
      const counts = [await countOf(first, subject), await countOf(other, subject)]
      if (counts[0] === counts[1]) continue
      faults.push(`${name}: ${first?.system} answers ${counts[0]} values, ${other.system} ${counts[1]}`)
      break
    }
  }
  return faults
}

async function countOf(row: Row | undefined, subject: Subject): Promise<number> {
  if (!row) return 0
  const { body } = await askOnce(row.server.port, row.ask(subject).request)
  const { data } = JSON.parse(body.toString()) as { data?: unknown }
  return countValues(data ?? null)
}

/** Counts leaves that are not null, except introspection fields. */
function countValues(value: unknown, key = ''): number {
  if (value === null || key === '__typename') return 0
  if (typeof value !== 'object') return 1
  return Object.entries(value as object).reduce((sum, [name, part]) => sum + countValues(part, name), 0)
}
