import { asText, type Codec } from './codec.ts'
import { derived, type Field } from './model.ts'

export const nodeIdText = 'For node, and for caches: unique among all nodes, the same for ever, and opaque.'

/** The global id of a row, in SQL the same as `formatNodeId`. `parts`: SQL expressions. */
export function nodeId(type: string, ...parts: string[]): Field<string> {
  const name = `'${type}:' || ${parts.map((part) => `(${part})::text`).join(` || ':' || `)}`
  const opaque = `translate(encode(convert_to(${name}, 'UTF8'), 'base64'), '+/=' || chr(10), '-_')`
  return derived(asText('ID') as Codec<string>, opaque, nodeIdText)
}

/** Opaque to clients. `parts` hold no colon. */
export function formatNodeId(type: string, ...parts: (string | number | bigint)[]): string {
  return Buffer.from([type, ...parts].join(':')).toString('base64url')
}

/** Type and parts, separated by colons; arbitrary text if it is not an id. */
export function readNodeId(id: string): string {
  return id.length <= 400 ? Buffer.from(id, 'base64url').toString() : ''
}
