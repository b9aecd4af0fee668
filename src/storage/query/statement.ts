import { type Db, readPrepared } from '../database/database.ts'
import type { Spelling } from './codec.ts'
import { type Keyed, keyedRows } from './keyed.ts'
import type { Model, Relation } from './model.ts'
import { objectText, oneRowText, relationText } from './select.ts'
import { param, type Selected, type Selection, type StatementContext } from './selected.ts'
import type { Slot } from './slot.ts'
import { toSql } from './text.ts'

/** An SQL statement with numbered parameters. */
export interface Statement {
  text: string
  /** For each parameter, the index of its value among all values. */
  valueIndexes: readonly number[]
}

export interface Reading {
  spelling: Spelling
  /** Whether resolvers follow. */
  isMixed: boolean
}

/** The statement for the value of one root field; no row means null. */
export function fieldStatement(item: Selected, slots: readonly Slot[], reading: Reading): Statement {
  const context = contextOf(slots, reading)
  const relation = item.is as Relation
  return numberParameters(
    relation.kind === 'one'
      ? oneRowText(relation, item, context)
      : `SELECT ${toSql(relationText(relation, item, context))}`,
  )
}

/** The statement for objects by their keys: one row for each key, in their order. */
export function keyedStatement(
  keyed: Keyed<never>,
  isOne: boolean,
  item: Selection,
  slots: readonly Slot[],
  reading: Reading,
): Statement {
  const { model, columns, exists, missing = 'null' } = keyed
  const keys = Object.keys(columns).map((_, index) => param(index + 1))
  const context = contextOf(slots, reading, keys.length)
  const object = toSql(objectText(model, item, context))
  return numberParameters(
    `SELECT CASE WHEN ${exists} THEN ${object} ELSE '${missing}' END FROM ${keyedRows(keyed, keys, isOne)}`,
  )
}

function contextOf(slots: readonly Slot[], reading: Reading, keys = 0): StatementContext {
  const offsets: number[] = []
  let next = 1 + keys
  for (const { values } of slots) {
    offsets.push(next)
    next += values.length
  }
  return { ...reading, slots, offsets, objectText }
}

/** Replaces placeholders by parameters, numbered as they first appear: unused values are not sent. */
export function numberParameters(text: string): Statement {
  const valueIndexes: number[] = []
  const numberOf = (valueIndex: number) => {
    const position = valueIndexes.indexOf(valueIndex)
    return position >= 0 ? position + 1 : valueIndexes.push(valueIndex)
  }
  return {
    text: text.replace(/\uE000([0-9]+)\uE000/g, (_, digits) => {
      const valueIndex = Number(digits)
      return parameter(numberOf(valueIndex), valueIndex)
    }),
    valueIndexes,
  }
}

/** `now` needs a cast: PostgreSQL can't infer the type of an expression without a column. */
function parameter(number: number, valueIndex: number): string {
  return valueIndex === 0 ? `$${number}::bigint` : `$${number}`
}

/** The text of each row. `now` in Unix seconds. */
export async function runStatement(
  db: Db,
  { text, valueIndexes }: Statement,
  now: number,
  keys: readonly unknown[],
  slots: readonly Slot[],
): Promise<string[]> {
  const values = [now, ...keys, ...slots.flatMap(({ values }) => values)]
  const rows = await readPrepared<[string]>(
    db,
    text,
    valueIndexes.map((valueIndex) => values[valueIndex]),
  )
  return rows.map(([json]) => json)
}

/** The statement for a batch of a stream: each row has `columns`, then its JSON text. */
export function streamStatement(
  model: Model,
  item: Selection,
  columns: string,
  rows: string,
  parameters: number,
  slots: readonly Slot[],
  reading: Reading,
): Statement {
  const context = contextOf(slots, reading, parameters)
  return numberParameters(`SELECT ${columns}, ${toSql(objectText(model, item, context))} FROM ${rows}`)
}
