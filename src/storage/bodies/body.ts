import type { Codec } from '../query/codec.ts'
import { fieldText, listText, membersText } from '../query/json.ts'
import { type Field, type Model, orNull } from '../query/model.ts'
import { literal, sqlExpression, type Text, toSql } from '../query/sql-text.ts'

/**
 * A JSON body of REST: the SQL that writes it and its OpenAPI schema follow from this definition. Optional
 * members come after all others.
 */
export type Body = Readonly<Record<string, Member>>

/** One of several bodies, by the key that the SQL of `by` returns. */
interface OneOf {
  variants: Readonly<Record<string, Body>>
  by: string
}

export interface ListMember {
  list: Body | Field | OneOf
  rows: string
  /** SQL condition: without it the list is empty, and `rows` is not read. */
  only?: string
  description: string
}

interface MapOf {
  key: Field
  value: Field
}

export interface MapMember {
  map: MapOf
  rows: string
  description: string
}

export type Member =
  | Field
  /** Left out if it is null. */
  | { absent: Field }
  /** `unless`: SQL condition for null. */
  | { object: Body; unless?: string; description?: string }
  | ListMember
  /** An object of one row; left out if there is no row. */
  | { one: Body; rows: string }
  /** A list; left out if the SQL condition `unless` holds. */
  | { perhaps: Body; rows: string; unless: string; description: string }
  /** An object whose keys are values. */
  | MapMember
  | OneOf
  /** JSON as it is stored; `holds` describes its members. */
  | { json: Field; holds: Body }
  /** Always left out: the interface defines it, and the service does not store it. */
  | { never: Body }

const asStored = { spelling: 'stored' } as const

export function bodyText(body: Body): Text {
  const entries = Object.entries(body)
  const always = entries.filter(([, member]) => !isOptional(member))
  const optional = entries.filter(([, member]) => isOptional(member) && !('never' in member))
  const perhaps = optional.flatMap(([key, member]) =>
    sqlExpression(`coalesce(${toSql([...literal(`,"${key}":`), ...optionalText(member)])}, '')`),
  )
  const whole = membersText(always.map(([key, member]) => [key, memberText(member)]))
  return [...whole.slice(0, -1), ...perhaps, ...whole.slice(-1)]
}

export function isOptional(member: Member): boolean {
  return 'absent' in member || 'one' in member || 'perhaps' in member || 'never' in member
}

/** NULL if the member is left out. */
function optionalText(member: Member): Text {
  if ('absent' in member) return fieldText({ ...member.absent, nullable: false }, asStored)
  if ('one' in member) return sqlExpression(`SELECT ${toSql(bodyText(member.one))} FROM ${member.rows}`)
  if ('perhaps' in member) {
    const list = listText(bodyText(member.perhaps), member.rows)
    return sqlExpression(`CASE WHEN ${member.unless} THEN NULL ELSE ${toSql(list)} END`)
  }
  throw new TypeError('the member is not optional')
}

function memberText(member: Member): Text {
  if ('codec' in member) return fieldText(member, asStored)
  if ('object' in member) {
    const text = bodyText(member.object)
    return member.unless
      ? sqlExpression(`CASE WHEN ${member.unless} THEN 'null' ELSE ${toSql(text)} END`)
      : text
  }
  if ('json' in member) return fieldText(member.json, asStored)
  if ('list' in member) return listMember(member)
  if ('map' in member) return mapText(member)
  if ('variants' in member) return oneOfText(member)
  throw new TypeError('optional members come after all others')
}

function oneOfText({ variants, by }: OneOf): Text {
  const cases = Object.entries(variants).map(
    ([value, body]) => `WHEN '${value}' THEN ${toSql(bodyText(body))}`,
  )
  return sqlExpression(`CASE ${by} ${cases.join(' ')} END`)
}

function listMember({ list, rows, only }: ListMember): Text {
  const text = listText(itemText(list), rows)
  return only ? sqlExpression(`CASE WHEN ${only} THEN ${toSql(text)} ELSE '[]' END`) : text
}

function itemText(list: ListMember['list']): Text {
  if (isField(list)) return fieldText(list, asStored)
  return isOneOf(list) ? oneOfText(list) : bodyText(list)
}

export function isOneOf(value: ListMember['list']): value is OneOf {
  return 'by' in value && typeof value.by === 'string'
}

export function isField(value: ListMember['list']): value is Field {
  return 'codec' in value && typeof value.codec === 'object' && 'read' in value.codec
}

function mapText({ map: { key, value }, rows }: MapMember): Text {
  const item = [...fieldText(key, asStored), ...literal(':'), ...fieldText(value, asStored)]
  return [
    ...literal('{'),
    ...sqlExpression(`coalesce((SELECT string_agg(${toSql(item)}, ',') FROM ${rows}), '')`),
    ...literal('}'),
  ]
}

/** Fields of a model by name, in this order. @throws for one that the model does not have */
export function fieldsOf<Name extends string>(model: Model, ...names: Name[]): Record<Name, Field> {
  const entries = names.map((name) => {
    const field = model.fields[name]
    if (!field) throw new TypeError(`${model.name} has no field ${name}`)
    return [name, field] as const
  })
  return Object.fromEntries(entries) as Record<Name, Field>
}

/** The description of a field or relation of a model. */
export function textOf({ name, fields, relations = {} }: Model, member: string): string {
  const { description } = fields[member] ?? relations[member] ?? {}
  if (description === undefined) throw new TypeError(`${name} has no ${member}`)
  return description
}

/** The model that a relation leads to. */
export function modelOf(model: Model, relation: string): Model {
  const target = model.relations?.[relation]
  if (!target || target.kind === 'value') throw new TypeError(`${model.name} has no relation ${relation}`)
  return target.model()
}

/** Rows of a relation that takes no arguments. */
export function rowsOf(model: Model, name: string): string {
  const relation = model.relations?.[name] ?? model.lists?.[name]
  if (!relation || relation.kind === 'same' || typeof relation.rows !== 'string') {
    throw new TypeError(`${model.name} has no rows ${name}`)
  }
  return relation.rows
}

/** The list that a relation leads to. */
export function listOf(
  model: Model,
  relation: string,
  list: Body = wholeBody(modelOf(model, relation)),
): ListMember {
  const is = model.relations?.[relation]
  return {
    list,
    rows: rowsOf(model, relation),
    ...(is?.kind === 'many' && is.only && { only: is.only }),
    description: is?.description ?? '',
  }
}

/** A list of values. */
export function valuesOf(model: Model, name: string): ListMember {
  const values = model.lists?.[name]
  if (!values) throw new TypeError(`${model.name} has no list ${name}`)
  return { list: values.field, rows: values.rows, description: values.description }
}

export const absent = (field: Field): Member => ({ absent: orNull(field) })

/** A number from 0 to 1, stored as parts per million. */
export const share: Codec<number> = {
  type: 'Share',
  text: (expression) => sqlExpression(`(trim_scale(${expression} / 1000000.0))::text`),
  read: (json) => json as number,
  column: 'int4',
  write: (value) => value,
}

/** A body with all fields of a model, under the same names. */
export function wholeBody(model: Model): Body {
  return model.fields
}
