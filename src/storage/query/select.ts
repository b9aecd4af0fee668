import { asText } from './codec.ts'
import { faultText } from './fault.ts'
import { fieldText, listText, membersText } from './json-text.ts'
import { derived, type Field, type Model, type OneRow, type Relation } from './model.ts'
import { pageText } from './page.ts'
import {
  notStored,
  type Selected,
  type Selection,
  type StatementContext,
  withParameters,
} from './selected.ts'
import { literal, sql, type Text, toSql } from './text.ts'

/** JSON text of an object with the selected fields. */
export function objectText(model: Model, item: Selection, context: StatementContext): Text {
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
    return sql(
      `(SELECT ${toSql(text)} FROM (SELECT 1) one LEFT JOIN LATERAL (SELECT * FROM ${model.lookup}) tk ON true)`,
    )
  }
  const isNeeded = selection.some(({ field }) => model.fields[field]?.isLookedUp)
  return isNeeded ? sql(`coalesce((SELECT ${toSql(text)} FROM ${model.lookup}), '${notStored}')`) : text
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
  return sql(
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

/** Several models may have one GraphQL type, and the schema's field belongs to one of them: takes the field of this model. */
function ofModel({ fields, relations, lists }: Model, { is, field }: Selected): Selected['is'] {
  return typeof is === 'object' ? (fields[field] ?? relations?.[field] ?? lists?.[field] ?? is) : is
}

function typenameText(field: string, name: string): Text {
  if (field !== '__typename') throw new TypeError(`${name} has no stored field ${field}`)
  return literal(`"${name}"`)
}

export function relationText(relation: Relation, item: Selected, context: StatementContext): Text {
  if (relation.kind === 'page') return pageText(relation, item, context)
  if (relation.kind === 'value') {
    return sql(
      `(SELECT ${toSql(fieldText(relation.field, context))} FROM ${rowsText(relation.rows, item, context)})`,
    )
  }
  if (relation.kind === 'one') return sql(`coalesce((${oneRowText(relation, item, context)}), 'null')`)
  const object = objectText(relation.model(), item, context)
  if (relation.kind === 'same') {
    return relation.unless
      ? sql(`CASE WHEN ${relation.unless} THEN 'null' ELSE ${toSql(object)} END`)
      : object
  }
  const list = listText(object, rowsText(relation.rows, item, context))
  if (relation.unless) return sql(`CASE WHEN ${relation.unless} THEN 'null' ELSE ${toSql(list)} END`)
  return relation.only ? sql(`CASE WHEN ${relation.only} THEN ${toSql(list)} ELSE '[]' END`) : list
}

/** A statement that returns the row's object, or no row. */
export function oneRowText(relation: OneRow, item: Selected, context: StatementContext): string {
  const { fault, rows } = relation
  const object = toSql(objectText(relation.model(), item, context))
  const text = fault ? `CASE WHEN ${fault.when} THEN '${faultText(fault.is)}' ELSE ${object} END` : object
  return `SELECT ${text} FROM ${rowsText(rows, item, context)}`
}

function rowsText(rows: unknown, { slot, field }: Selected, { slots, offsets }: StatementContext): string {
  if (typeof rows === 'string') return rows
  const fragment = slot === undefined ? undefined : slots[slot]?.rows
  if (slot === undefined || !fragment) throw new TypeError(`${field} needs its arguments`)
  return withParameters(fragment.strings, offsets[slot] ?? 0)
}
