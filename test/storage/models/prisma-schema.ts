import { readFileSync } from 'node:fs'
import path from 'node:path'

interface SchemaColumn {
  /** PostgreSQL's type, with `[]` for an array. */
  type: string
  nullable: boolean
}

/** Columns of each table by their names in the database. */
type Schema = ReadonlyMap<string, ReadonlyMap<string, SchemaColumn>>

const types: Record<string, string> = {
  Int: 'int4',
  BigInt: 'int8',
  String: 'text',
  Bytes: 'bytea',
  Boolean: 'bool',
  Decimal: 'numeric',
  Float: 'double precision',
  DateTime: 'timestamptz',
  Json: 'jsonb',
}

/** The content of `prisma/schema.prisma`; a test of the migrations holds the database equal to it. */
export function readSchema(): Schema {
  const file = path.join(import.meta.dirname, '..', '..', '..', 'prisma', 'schema.prisma')
  const models = readFileSync(file, 'utf8').matchAll(/^(?:model|view) \w+ \{\n(.*?)^\}/gms)
  return new Map([...models].map(([, body = '']) => [mapped(body, '@@map') ?? '', columnsOf(body)]))
}

function columnsOf(body: string): Map<string, SchemaColumn> {
  const lines = body.matchAll(/^ {2}(\w+) +(\w+)(\[\]|\?)?(.*)$/gm)
  return new Map(
    [...lines].map(([, name = '', base = '', mark, rest = '']) => {
      const type = rest.includes('@db.Uuid') ? 'uuid' : types[base]
      if (!type) throw new TypeError(`${name} has the unknown type ${base}`)
      const column = { type: mark === '[]' ? `${type}[]` : type, nullable: mark === '?' }
      return [mapped(rest, '@map') ?? name, column]
    }),
  )
}

const mapped = (text: string, attribute: string) => text.match(`${attribute}\\("(\\w+)"\\)`)?.[1]
