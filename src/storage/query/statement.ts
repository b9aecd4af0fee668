import type { Db } from '../database/database.ts'
import { readCurrent, readPrepared } from '../database/prepared.ts'
import type { ArgumentSlot } from './argument-slot.ts'
import { asText, type Spelling } from './codec.ts'
import { feedHead } from './feed-source.ts'
import { fieldText, listText, membersText } from './json.ts'
import { derived, type Field, type Model, type OneRow, type Relation } from './model.ts'
import { pageText } from './page.ts'
import {
  type Ambient,
  ambientValues,
  firstOwn,
  notStored,
  ownParam,
  type Selected,
  type Selection,
  type StatementContext,
  withParameters,
} from './selection.ts'
import { literal, sqlExpression, type Text, toSql } from './sql-text.ts'
import { refusalMark } from './stored-refusals.ts'

/** How objects of a model are found by their keys. */
export interface Keyed<Key> {
  model: Model
  /** Columns of a key, and their types. */
  columns: Readonly<Record<string, 'bytea' | 'int4' | 'int8'>>
  /** A key as values of its columns. */
  values(key: Key): unknown[]
  /** SQL alias of the keys; `k` by default. */
  alias?: string
  /** The table to join to the keys; none if the key is all of the object. */
  join?: string
  /** SQL condition for whether the object exists. */
  exists: string
  /** Text for a missing object; JSON null by default. */
  missing?: string
}

/**
 * The text after FROM: one row for each key, in their order. For a single key the planner gets a plain
 * comparison.
 */
function keyedRows(
  { columns, alias = 'k', join }: Keyed<never>,
  parameters: readonly string[],
  isOne: boolean,
): string {
  const names = Object.keys(columns)
  const types = Object.values(columns)
  const joined = join === undefined ? '' : ` LEFT JOIN ${join}`
  if (isOne) {
    const key = names.map((name, index) => `${parameters[index]}::${types[index]} AS ${name}`)
    return `(SELECT ${key.join(', ')}) ${alias}${joined}`
  }
  const lists = types.map((type, index) => `${parameters[index]}::${type}[]`)
  return `unnest(${lists.join(', ')}) WITH ORDINALITY AS ${alias}(${names.join(', ')}, place)${joined} ORDER BY ${alias}.place`
}

/** Parameter values: of one key its values, of several keys a list for each column. */
export function keyedValues<Key>(keyed: Keyed<Key>, keys: readonly Key[]): unknown[] {
  const rows = keys.map((key) => keyed.values(key))
  const [only, second] = rows
  if (only && !second) return only
  return Object.keys(keyed.columns).map((_, index) => rows.map((row) => row[index]))
}

/** JSON text of an object with the selected fields. */
function objectText(model: Model, item: Selection, context: StatementContext): Text {
  return model.variants
    ? variantText(model.variants, item, context)
    : plainText(model, item.selection, context)
}

function plainText(model: Model, selection: readonly Selected[], context: StatementContext): Text {
  const members = selection
    .filter(({ is }) => is !== 'outside')
    .map((item): [string, Text] => [item.key, memberText(model, item, context)])
  if (context.isMixed && model.identity) {
    const needed = selection.map(({ needs }) => needs)
    members.push(['@', identityText(Object.assign({}, model.identity, ...needed), context)])
  }
  const text = membersText(members)
  if (!model.lookup) return text
  if (context.isMixed) {
    return sqlExpression(
      `(SELECT ${toSql(text)} FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM ${model.lookup}) tk ON true)`,
    )
  }
  const isNeeded = selection.some(({ field }) => model.fields[field]?.isLookedUp)
  return isNeeded
    ? sqlExpression(`coalesce((SELECT ${toSql(text)} FROM ${model.lookup}), '${notStored}')`)
    : text
}

function variantText(
  { by, models }: NonNullable<Model['variants']>,
  { variants = {} }: Selection,
  context: StatementContext,
): Text {
  const cases = Object.entries(models).map(([value, model]) => {
    const variant = model()
    const marked = context.isMixed
      ? { ...variant, identity: { ...variant.identity, ...typeMark(variant.name) } }
      : variant
    return { value, text: objectText(marked, { selection: variants[variant.name] ?? [] }, context) }
  })
  const texts = new Map(cases.map(({ text }) => [toSql(text), text]))
  const [only] = texts.values()
  // Each case costs time at the start of a statement: none is needed if the text does not depend on the type.
  if (only && texts.size === 1) return only
  return sqlExpression(
    `CASE ${by} ${cases.map(({ value, text }) => `WHEN '${value}' THEN ${toSql(text)}`).join(' ')} END`,
  )
}

/** The object's type, for resolvers of unions and interfaces. */
const typeMark = (name: string): Record<string, Field> => ({
  type: derived(asText('String'), `'${name}'`, ''),
})

function identityText(identity: Readonly<Record<string, Field>>, context: StatementContext): Text {
  return membersText(Object.entries(identity).map(([key, field]) => [key, fieldText(field, context)]))
}

function memberText(model: Model, item: Selected, context: StatementContext): Text {
  const { field } = item
  const is = ofModel(model, item)
  if (is === undefined) return typenameText(field, model.name)
  if (is === 'outside') throw new TypeError(`${field} is not stored`)
  if ('codec' in is) return fieldText(is, context)
  if (is.kind === 'values') return listText(fieldText(is.field, context), is.rows)
  return relationText(is, item, context)
}

/**
 * Several models may have one GraphQL type, and the schema's field belongs to one of them: takes the field of
 * this model.
 */
function ofModel({ fields, relations, lists }: Model, { is, field }: Selected): Selected['is'] {
  return typeof is === 'object' ? (fields[field] ?? relations?.[field] ?? lists?.[field] ?? is) : is
}

function typenameText(field: string, name: string): Text {
  if (field !== '__typename') throw new TypeError(`${name} has no stored field ${field}`)
  return literal(`"${name}"`)
}

function relationText(relation: Relation, item: Selected, context: StatementContext): Text {
  if (relation.kind === 'page') return pageText(relation, item, context)
  if (relation.kind === 'value') {
    return sqlExpression(
      `(SELECT ${toSql(fieldText(relation.field, context))} FROM ${rowsText(relation.rows, item, context)})`,
    )
  }
  if (relation.kind === 'one')
    return sqlExpression(`coalesce((${oneRowText(relation, item, context)}), 'null')`)
  const object = objectText(relation.model(), item, context)
  if (relation.kind === 'same') {
    return relation.unless
      ? sqlExpression(`CASE WHEN ${relation.unless} THEN 'null' ELSE ${toSql(object)} END`)
      : object
  }
  const list = listText(object, rowsText(relation.rows, item, context))
  if (relation.unless)
    return sqlExpression(`CASE WHEN ${relation.unless} THEN 'null' ELSE ${toSql(list)} END`)
  return relation.only ? sqlExpression(`CASE WHEN ${relation.only} THEN ${toSql(list)} ELSE '[]' END`) : list
}

/** A statement that returns the row's object, or no row. */
function oneRowText(relation: OneRow, item: Selected, context: StatementContext): string {
  const { fault, rows } = relation
  const object = toSql(objectText(relation.model(), item, context))
  const text = fault ? `CASE WHEN ${fault.when} THEN '${refusalMark(fault.is)}' ELSE ${object} END` : object
  return `SELECT ${text} FROM ${rowsText(rows, item, context)}`
}

function rowsText(rows: unknown, { slot, field }: Selected, { slots, offsets }: StatementContext): string {
  if (typeof rows === 'string') return rows
  const fragment = slot === undefined ? undefined : slots[slot]?.rows
  if (slot === undefined || !fragment) throw new TypeError(`${field} needs its arguments`)
  return withParameters(fragment.strings, offsets[slot] ?? 0)
}

/** An SQL statement with numbered parameters. */
export interface Statement {
  text: string
  /** Index of each parameter's value among all values. */
  valueIndexes: readonly number[]
  /** True if it compares cursors with the head: an older state would refuse those of a stream. */
  readsHead: boolean
}

export interface Reading {
  spelling: Spelling
  /** True if resolvers follow. */
  isMixed: boolean
}

/** The statement for the value of one root field; no row means null. */
export function fieldStatement(item: Selected, slots: readonly ArgumentSlot[], reading: Reading): Statement {
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
  slots: readonly ArgumentSlot[],
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

function contextOf(slots: readonly ArgumentSlot[], reading: Reading, keys = 0): StatementContext {
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
  slots: readonly ArgumentSlot[],
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

/**
 * A statement around the JSON text of an object; the first `parameters` of its own values are the caller's.
 */
export function embeddingStatement(
  model: Model,
  item: Selection,
  parameters: number,
  slots: readonly ArgumentSlot[],
  reading: Reading,
  { before, behind }: { before: string; behind: string },
): Statement {
  const context = contextOf(slots, reading, parameters)
  return numberParameters(`${before}${toSql(objectText(model, item, context))}${behind}`)
}
