import type { Codec } from '../query/codec.ts'
import { type Field, type Model, orNull } from '../query/model.ts'
import { sql } from '../query/text.ts'
import type { Body, ListMember, Member } from './body.ts'

/** Fields of a model by name, in this order. @throws for one that the model does not have */
export function fieldsOf<Name extends string>(model: Model, ...names: Name[]): Record<Name, Field> {
  const entries = names.map((name) => {
    const field = model.fields[name]
    if (!field) throw new TypeError(`${model.name} has no field ${name}`)
    return [name, field] as const
  })
  return Object.fromEntries(entries) as Record<Name, Field>
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
  text: (expression) => sql(`(trim_scale(${expression} / 1000000.0))::text`),
  read: (json) => json as number,
  column: 'int4',
  write: (value) => value,
}

/** A body with all fields of a model, under the same names. */
export function wholeBody(model: Model): Body {
  return model.fields
}
