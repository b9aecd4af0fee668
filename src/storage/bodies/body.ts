import { fieldText, listText, membersText } from '../query/json-text.ts'
import type { Field } from '../query/model.ts'
import { literal, sql, type Text, toSql } from '../query/text.ts'

/**
 * A JSON body of REST: the SQL that writes it and its OpenAPI schema follow from this definition. Optional members come after all
 * others.
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
  /** A map that never has an entry. */
  | { always: '{}'; map: MapOf; description: string }
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
    sql(`coalesce(${toSql([...literal(`,"${key}":`), ...optionalText(member)])}, '')`),
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
  if ('one' in member) return sql(`SELECT ${toSql(bodyText(member.one))} FROM ${member.rows}`)
  if ('perhaps' in member) {
    const list = listText(bodyText(member.perhaps), member.rows)
    return sql(`CASE WHEN ${member.unless} THEN NULL ELSE ${toSql(list)} END`)
  }
  throw new TypeError('the member is not optional')
}

function memberText(member: Member): Text {
  if ('codec' in member) return fieldText(member, asStored)
  if ('always' in member) return literal(member.always)
  if ('object' in member) {
    const text = bodyText(member.object)
    return member.unless ? sql(`CASE WHEN ${member.unless} THEN 'null' ELSE ${toSql(text)} END`) : text
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
  return sql(`CASE ${by} ${cases.join(' ')} END`)
}

function listMember({ list, rows, only }: ListMember): Text {
  const text = listText(itemText(list), rows)
  return only ? sql(`CASE WHEN ${only} THEN ${toSql(text)} ELSE '[]' END`) : text
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
    ...sql(`coalesce((SELECT string_agg(${toSql(item)}, ',') FROM ${rows}), '')`),
    ...literal('}'),
  ]
}
