import type { Db } from '../database/database.ts'
import { readCurrent, readPrepared } from '../database/prepared.ts'
import type { Spelling } from './codec.ts'
import { feedHead } from './feed-source.ts'
import { type Keyed, keyedRows } from './keyed.ts'
import type { Model, Relation } from './model.ts'
import { objectText, oneRowText, relationText } from './select.ts'
import {
  type Ambient,
  ambientValues,
  firstOwn,
  ownParam,
  type Selected,
  type Selection,
  type StatementContext,
} from './selected.ts'
import type { Slot } from './slot.ts'
import { toSql } from './text.ts'

/** An SQL statement with numbered parameters. */
export interface Statement {
  text: string
  /** For each parameter, the index of its value among all values. */
  valueIndexes: readonly number[]
  /** Whether it compares cursors with the head: an older state would refuse those of a stream. */
  readsHead: boolean
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
  const keys = Object.keys(columns).map((_, index) => ownParam(index))
  const context = contextOf(slots, reading, keys.length)
  const object = toSql(objectText(model, item, context))
  return numberParameters(
    `SELECT CASE WHEN ${exists} THEN ${object} ELSE '${missing}' END FROM ${keyedRows(keyed, keys, isOne)}`,
  )
}

function contextOf(slots: readonly Slot[], reading: Reading, keys = 0): StatementContext {
  const offsets: number[] = []
  let next = firstOwn + keys
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
    text: text.replace(/\uE000([0-9]+)\uE000/g, (_, digits) => `$${numberOf(Number(digits))}`),
    valueIndexes,
    readsHead: text.includes(feedHead),
  }
}

/** The text of each row. */
export async function runStatement(
  db: Db,
  { text, valueIndexes, readsHead }: Statement,
  ambient: Ambient,
  keys: readonly unknown[],
  slots: readonly Slot[],
): Promise<string[]> {
  const values = [...ambientValues(ambient), ...keys, ...slots.flatMap(({ values }) => values)]
  const read = readsHead ? readCurrent<[string]> : readPrepared<[string]>
  const rows = await read(
    db,
    text,
    valueIndexes.map((valueIndex) => values[valueIndex]),
  )
  return rows.map(([json]) => json)
}

/** A statement around the JSON text of an object; the first `parameters` of its own values are the caller's. */
export function embeddingStatement(
  model: Model,
  item: Selection,
  parameters: number,
  slots: readonly Slot[],
  reading: Reading,
  { before, behind }: { before: string; behind: string },
): Statement {
  const context = contextOf(slots, reading, parameters)
  return numberParameters(`${before}${toSql(objectText(model, item, context))}${behind}`)
}
