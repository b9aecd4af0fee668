import { type ByteBudget, type ByteBudgetOptions, createByteBudget } from '../../concurrency/byte-budget.ts'
import type { Token } from '../../domain/token/token.ts'
import { orderRowBytes } from '../../storage/order/insert.ts'
import type { TokenRoom } from '../../tokens/metadata.ts'

/**
 * Rows that a client without rights can cause, with the bytes that each row takes without its texts: the row,
 * rows that follow from it, and their places in indexes. Documents, idempotency keys and persisted documents
 * have budgets of their own.
 */
const rowBytes = {
  quotes: 3_072,
  orders: orderRowBytes,
  'sign-in nonces': 256,
  sessions: 512,
  channels: 2_048,
  'test deliveries': 512,
  'sessions of balances': 256,
  'affiliate codes': 512,
  tokens: 160,
}

type StoredKind = keyof typeof rowBytes

/**
 * Bytes of a kind that one client may have stored, and the time in which they are free again; 0 bytes is no
 * limit.
 */
export type StoredLimits = Readonly<Record<StoredKind, { bytes: number; ageMs: number }>>

/** Bytes that each client has stored, by kind. */
export interface StoredBytes {
  /** @throws Refusal RateLimited while the client has no bytes left */
  check(kind: StoredKind, client: string): void
  /** Bytes of tokens, which are answered whether or not they are stored. */
  tokenRoom(client: string): TokenRoom
  /** Counts a row, with the bytes of the texts in it. */
  add(kind: StoredKind, client: string, textBytes?: number): void
}

export function createStoredBytes(limits: StoredLimits, options: ByteBudgetOptions): StoredBytes {
  const budgets = new Map(
    Object.entries(limits)
      .filter(([, { bytes }]) => bytes > 0)
      .map(([what, limit]) => [what, createByteBudget({ what, ...limit }, options)]),
  )
  return {
    check: (kind, client) => budgets.get(kind)?.check(client),
    tokenRoom: (client) => tokenRoomOf(budgets.get('tokens'), client),
    add: (kind, client, textBytes = 0) => budgets.get(kind)?.add(client, rowBytes[kind] + textBytes),
  }
}

/** The part of a budget for tokens that one client has. */
export function tokenRoomOf(budget: ByteBudget | undefined, client: string): TokenRoom {
  const textBytes = ({ symbol, name }: Token) => Buffer.byteLength(`${symbol ?? ''}${name ?? ''}`)
  return {
    hasRoom: () => budget?.hasRoom(client) ?? true,
    add(tokens) {
      for (const token of tokens) budget?.add(client, rowBytes.tokens + textBytes(token))
    },
  }
}

/**
 * Runs work that stores one row of this kind, and counts it when the work succeeds.
 * @param textBytesOf the bytes of texts in the row; undefined when nothing was stored
 * @throws Refusal RateLimited while the client has no bytes left
 */
export async function storing<Result>(
  { stored, client }: { stored?: StoredBytes; client: string },
  kind: StoredKind,
  work: () => Promise<Result>,
  textBytesOf: (result: Result) => number | undefined = () => 0,
): Promise<Result> {
  stored?.check(kind, client)
  const result = await work()
  const bytes = textBytesOf(result)
  if (bytes !== undefined) stored?.add(kind, client, bytes)
  return result
}
