import { json } from '../columns.ts'
import { listOf } from '../story-rows.ts'
import type { Child, Noun } from './noun.ts'

export const { hex, amount } = json

/** As the graph writes a time: milliseconds where there are any. */
export const time = (column: string) =>
  `replace(to_char(${column} AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), '.000Z', 'Z')`

export const word = (column: string) => `upper(${column})`

/** One item of the same row, or of a joined one. */
export const same = (noun: () => Noun): Child => ({ noun, sql: (item) => item })

export const many = (noun: () => Noun, from: string): Child => ({
  noun,
  sql: (item) => listOf(`SELECT ${item} AS json FROM ${from}`),
})

const metadata = new Set(['symbol', 'name', 'decimals'])

/** A token by its address column; `alias` keeps the two of one order apart. */
export const token = (chainId: string, column: string): Child => ({
  noun: () => ({
    name: 'Token',
    leaves: {
      address: hex(column),
      symbol: `(SELECT tk.symbol FROM tokens tk WHERE tk.chain_id = ${chainId} AND tk.address = ${column})`,
      name: `(SELECT tk.name FROM tokens tk WHERE tk.chain_id = ${chainId} AND tk.address = ${column})`,
      decimals: `(SELECT tk.decimals FROM tokens tk WHERE tk.chain_id = ${chainId} AND tk.address = ${column})`,
    },
    children: {},
  }),
  sql: (item) => item,
  needsTokens: metadata,
})
