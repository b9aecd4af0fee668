/** JSON text in pieces: what stands in every row, and expressions of type text that are never null. */
export type Text = readonly Piece[]

type Piece = { literal: string } | { sql: string }

/** May hold no quote of SQL. */
export const literal = (text: string): Text => [{ literal: text }]

export const sql = (expression: string): Text => [{ sql: expression }]

/** One expression. Neighbouring literals become one: half the concatenations, for which each row and each start of a plan pays. */
export function toSql(text: Text): string {
  const merged: Piece[] = []
  for (const piece of text) {
    const last = merged.at(-1)
    if (last && 'literal' in last && 'literal' in piece) {
      merged[merged.length - 1] = { literal: last.literal + piece.literal }
    } else merged.push(piece)
  }
  const expressions = merged.map((piece) => ('literal' in piece ? `'${piece.literal}'` : `(${piece.sql})`))
  return `(${expressions.join(' || ')})`
}
