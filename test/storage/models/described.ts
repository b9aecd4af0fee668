import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Field } from '../../../src/storage/query/model.ts'

/** All descriptions: each field, and each piece of SQL, with the file where it was found first. */
interface Described {
  fields: Map<Field, string>
  sql: Map<string, string>
}

const storage = path.join(import.meta.dirname, '..', '..', '..', 'src', 'storage')

/** Reads every exported description in the folders. */
export async function described(...folders: string[]): Promise<Described> {
  const found: Described = { fields: new Map(), sql: new Map() }
  const files = folders.flatMap((folder) =>
    readdirSync(path.join(storage, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => [folder, file]),
  )
  // Imports all of them first, since models refer to each other.
  const modules = await Promise.all(
    files.map(async ([folder = '', file = '']) => ({
      name: `${folder}/${file}`,
      exported: (await import(path.join(storage, folder, file))) as object,
    })),
  )
  const seen = new Set<unknown>()
  for (const { name, exported } of modules) walk({ ...exported }, name, found, seen)
  return found
}

/** Functions that only return another model. */
const links = new Set(['model', 'models'])

function walk(value: unknown, place: string, found: Described, seen: Set<unknown>): void {
  if (typeof value === 'string') found.sql.set(value, found.sql.get(value) ?? place)
  if (typeof value !== 'object' || value === null || seen.has(value)) return
  seen.add(value)
  if (isField(value)) {
    found.fields.set(value, place)
    const sql = typeof value.sql === 'string' ? value.sql : value.sql('stored')
    found.sql.set(sql, found.sql.get(sql) ?? place)
    return
  }
  // The fields of a connection are those of its page.
  const isPage = 'kind' in value && value.kind === 'page'
  for (const [key, member] of Object.entries(value)) {
    if (key === 'description' || (isPage && key === 'fields')) continue
    const leads = typeof member === 'function' && (links.has(key) || /\bmodels$/.test(place))
    walk(leads ? member() : member, `${place} ${key}`, found, seen)
  }
}

function isField(value: object): value is Field {
  return 'codec' in value && 'sql' in value
}
