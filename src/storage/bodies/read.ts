import type { Db } from '../database/database.ts'
import { readPrepared } from '../database/prepared.ts'
import type { Prisma } from '../generated/client.ts'
import { listText } from '../query/json.ts'
import { type Ambient, ambientValues, firstOwn, withParameters } from '../query/selection.ts'
import { type Text, toSql } from '../query/sql-text.ts'
import { numberParameters, type Statement } from '../query/statement.ts'
import { type Body, bodyText } from './body.ts'

/** A readable body with its cached statements. Create it once. */
export interface BodyRead {
  text: Text
  isList: boolean
  /** More SQL columns of the same row, after the body. */
  more: readonly string[]
  statements: Map<string, Statement>
}

export function oneBody(body: Body, more: readonly string[] = []): BodyRead {
  return { text: bodyText(body), isList: false, more, statements: new Map() }
}

export function listOfBodies(body: Body): BodyRead {
  return { text: bodyText(body), isList: true, more: [], statements: new Map() }
}

/** A list of objects, each wrapped under `key`. */
export function listOfWrapped(key: string, body: Body): BodyRead {
  return listOfBodies({ [key]: { object: body } })
}

/** The body, and the values of `more`. */
export type BodyRow = [string, ...(string | null)[]]

/** Values for `ownParam`. */
interface BodyValues extends Ambient {
  values?: readonly unknown[]
  /** SQL columns behind all others, with values of the request; in a list they have no access to its rows. */
  columns?: readonly Prisma.Sql[]
}

/** @returns undefined if there is no row; a list always has one */
export async function readBody(
  db: Db,
  read: BodyRead,
  rows: Prisma.Sql,
  { values = [], columns = [], ...ambient }: BodyValues,
): Promise<BodyRow | undefined> {
  const key = [rows, ...columns].map(({ strings }) => strings.join('?')).join('|')
  const statement = read.statements.get(key) ?? statementOf(read, rows, columns, values.length)
  read.statements.set(key, statement)
  const allValues = [
    ...ambientValues(ambient),
    ...values,
    ...rows.values,
    ...columns.flatMap(({ values }) => values),
  ]
  const [row] = await readPrepared<BodyRow>(
    db,
    statement.text,
    statement.valueIndexes.map((valueIndex) => allValues[valueIndex]),
  )
  return row
}

function statementOf(
  { text, isList, more }: BodyRead,
  rows: Prisma.Sql,
  columns: readonly Prisma.Sql[],
  parameters: number,
): Statement {
  let next = firstOwn + parameters
  const place = ({ strings, values }: Prisma.Sql) => {
    const placed = withParameters(strings, next)
    next += values.length
    return placed
  }
  const from = place(rows)
  const last = columns.map(place)
  return isList
    ? numberParameters(`SELECT ${[toSql(listText(text, from)), ...last].join(', ')}`)
    : numberParameters(`SELECT ${[toSql(text), ...more, ...last].join(', ')} FROM ${from}`)
}
