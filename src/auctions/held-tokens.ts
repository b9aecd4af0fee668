import { setTimeout as pause } from 'node:timers/promises'
import { createLruCache } from '../domain/derived.ts'
import { Outage } from '../domain/errors/error.ts'
import type { Address } from '../domain/evm/address.ts'
import type { Bytes32 } from '../domain/evm/hex.ts'
import type { Clock, Log } from '../domain/log.ts'

/**
 * Tokens of which the settlement contract holds so much that every settlement of an outside solver compares
 * them.
 */
export interface HeldTokens {
  /** The most valuable ones first. */
  list(): readonly Address[]
  /** Returns true once the tokens are known. No outside solver is asked before. */
  isReady(): boolean
  /**
   * Leaves out a token that makes settlements fail which do not touch it, for a day.
   * @returns whether it was held
   */
  drop(token: Address): boolean
  /**
   * Reads balances and values again now and then. It waits for the first reading alone, and not for long.
   * Never throws.
   */
  refresh(block: { hash: Bytes32 }): Promise<void>
}

export interface HeldTokensOptions {
  /**
   * Tokens that the settlement contract has received at any time; the likeliest to be worth something first.
   * @throws Outage, also while they are not known up to the newest blocks
   */
  received(limit: number): Promise<readonly Address[]>
  /** The settlement contract's balances; undefined for what does not answer. @throws Outage */
  balances(tokens: readonly Address[]): Promise<readonly (bigint | undefined)[]>
  /** The values of the amounts in native atoms, as sold now; 0 without a market. @throws Outage */
  values(amounts: ReadonlyMap<Address, bigint>, blockHash: Bytes32): Promise<ReadonlyMap<Address, bigint>>
  /** Native atoms. */
  minValue: bigint
  now: Clock
  log: Log
  /** Called with the number of tokens and their value after each reading. */
  onRead?(count: number, value: bigint): void
}

/** Tokens that settlements compare, at most. */
const maxHeld = 500
/** Tokens that are remembered, at most: a stranger can send any number of worthless ones. */
const maxReceived = 20_000
/** Tokens whose balance and value are read at once. */
const maxRead = 1_000
const pauseMs = 5_000
/** The index of a new network takes so long without a fault. */
const quietMs = 30_000
/** Balances and values of tokens that are worth something are read again. */
const valuableMs = 60_000
/** An auction waits so long for the first reading. */
const firstMs = 2_000
/** A token that was worth little is looked at again. */
const worthlessMs = 1_800_000
const droppedMs = 86_400_000

export function createHeldTokens(options: HeldTokensOptions): HeldTokens {
  const { received, balances, values, minValue, now, log, onRead } = options
  const seen = new Map<Address, { value: bigint; at: number }>()
  const dropped = createLruCache<Address, true>({
    max: maxReceived,
    ttl: droppedMs,
    ttlResolution: 0,
    perf: { now },
  })
  let held: readonly Address[] = []
  let isReady = false
  const createdAt = now()
  let readAt = Number.NEGATIVE_INFINITY
  let reading: Promise<void> | undefined

  async function read(blockHash: Bytes32): Promise<void> {
    const at = now()
    const tokens = await received(maxReceived)
    const due = tokens.filter((token) => {
      const last = seen.get(token)
      return !last || at - last.at >= (last.value >= minValue ? valuableMs : worthlessMs)
    })
    const asked = due.slice(0, maxRead)
    const amounts = await balances(asked)
    const positive = new Map(
      asked.flatMap((token, index): [Address, bigint][] => {
        const amount = amounts[index] ?? 0n
        return amount > 0n ? [[token, amount]] : []
      }),
    )
    const worth = await values(positive, blockHash)
    for (const token of asked) seen.set(token, { value: worth.get(token) ?? 0n, at })
    const known = new Set(tokens)
    for (const token of seen.keys()) if (!known.has(token)) seen.delete(token)
    const ranked = [...seen]
      .filter(([token, { value }]) => value >= minValue && !dropped.has(token))
      .sort(([, a], [, b]) => Number(b.value > a.value) - Number(b.value < a.value))
    if (ranked.length > maxHeld)
      log.warn('the settlement contract holds more tokens of value than settlements compare', {
        held: ranked.length,
        compared: maxHeld,
      })
    const kept = ranked.slice(0, maxHeld)
    held = kept.map(([token]) => token)
    onRead?.(
      kept.length,
      kept.reduce((sum, [, { value }]) => sum + value, 0n),
    )
    isReady = true
    readAt = at
  }

  return {
    list: () => held,
    isReady: () => isReady,
    drop(token) {
      if (!held.includes(token)) return false
      dropped.set(token, true)
      held = held.filter((other) => other !== token)
      log.error('a token of the settlement contract makes settlements fail and is not compared for a day', {
        token,
      })
      return true
    },
    async refresh({ hash }) {
      if (now() - readAt < pauseMs) return
      reading ??= read(hash)
        .catch((fault) => {
          if (!(fault instanceof Outage)) throw fault
          const report = !isReady && now() - createdAt < quietMs ? log.debug : log.warn
          report('what the settlement contract holds is not read', { error: fault.message })
        })
        .catch((error) =>
          log.error('what the settlement contract holds is not read', { error: String(error) }),
        )
        .finally(() => {
          reading = undefined
        })
      if (!isReady) await Promise.race([reading, pause(firstMs, undefined, { ref: false })])
    },
  }
}
