import type { RawLog } from '../chain/bundle/simulate-v1.ts'
import { encodeEndings, gasOfRight } from '../chain/settlement/rights.ts'
import { type Address, address } from '../domain/evm/address.ts'
import type { Hex } from '../domain/evm/hex.ts'
import type { Interaction } from '../domain/order/order.ts'
import { parseRight, type Right, rightsFor, rightText } from '../domain/settlement/rights.ts'
import { outsideOf } from './outside.ts'
import type { AuctionServices } from './services.ts'

type Services = Pick<AuctionServices, 'network' | 'log' | 'head' | 'solvers' | 'settlers' | 'rights'>

/** Contracts and accounts that are tried with each other, at most: each pair is some views. */
const maxContracts = 4
const maxGrantees = 64
/** Rights that are ended at once, at most. */
const maxEnded = 16
/** Blocks in which the settlement that ends rights has to be mined. */
const endingBlocks = 20
/** An argument from here on is no amount or time: it may be an address. */
const minAddress = 2n ** 112n

/**
 * The rights that a settlement may have given: those that it logged, and those that these contracts may keep
 * for the accounts that it names.
 */
export function possibleRights(
  contracts: ReadonlySet<Address>,
  calls: readonly Interaction[],
  logs: readonly RawLog[],
  settlement: Address,
): Right[] {
  const logged = logs.flatMap(({ address: contract, topics, data }) => {
    const right = parseRight({ contract, topics, data }, settlement)
    return right && right.value > 0n ? [right] : []
  })
  const named = calls.flatMap(({ callData }) => accountsIn(callData))
  const grantees = [...new Set([...named, ...calls.map(({ target }) => target)])].slice(0, maxGrantees)
  const kept = [...contracts]
    .slice(0, maxContracts)
    .flatMap((contract) => grantees.flatMap((grantee) => rightsFor(contract, grantee)))
  return [...new Map([...logged, ...kept].map((right) => [keyOf(right), right])).values()]
}

/** The arguments that may be addresses, also those of a call in a call, or of two. */
function accountsIn(callData: Hex): Address[] {
  const digits = callData.slice(10)
  return [0, 8, 16].flatMap((shift) =>
    Array.from({ length: Math.floor((digits.length - shift) / 64) }, (_, index) =>
      digits.slice(shift + 64 * index, shift + 64 * (index + 1)),
    ).flatMap((word) =>
      word.startsWith('0'.repeat(24)) && BigInt(`0x${word}`) >= minAddress
        ? [address(`0x${word.slice(24)}`)]
        : [],
    ),
  )
}

/**
 * Ends those of the rights that exist, in a settlement without trades: from the account of the built-in
 * solver, or else of another. One whose contract refuses is logged and left. It does not wait for the
 * settlement.
 */
export function endRights(
  rights: readonly Right[],
  giver: Address,
  services: Services,
  signal: AbortSignal,
): void {
  const { log } = services
  end(rights, giver, services, signal).catch((error) => {
    if (!signal.aborted)
      log.error('rights of the settlement contract are not ended', { error: String(error) })
  })
}

async function end(
  rights: readonly Right[],
  giver: Address,
  services: Services,
  signal: AbortSignal,
): Promise<void> {
  const { network, log, head, settlers } = services
  const existing = (await services.rights(rights)).filter(({ value }) => value > 0n)
  if (existing.length === 0) return
  const accounts = [...settlers.values()]
  const settler =
    accounts.find((one) => outsideOf(one.address, services) === undefined) ??
    accounts.find((one) => one.address !== giver) ??
    accounts[0]
  const about = { network: network.name, rights: existing.map(rightText) }
  if (!settler) {
    log.error('rights of the settlement contract cannot be ended: no account sends it', about)
    return
  }
  const simulations = await Promise.all(
    existing.slice(0, maxEnded).map(async (right) => ({
      right,
      simulation: await settler.simulate(encodeEndings([right], network.settlement)),
    })),
  )
  const ended = simulations.flatMap(({ right, simulation }) =>
    'gas' in simulation && simulation.gas <= gasOfRight ? [right] : [],
  )
  const { number } = await head()
  const outcome =
    ended.length > 0 &&
    (await settler.submit(encodeEndings(ended, network.settlement), {
      deadlineBlock: number + endingBlocks,
      signal,
      gas: gasOfRight * BigInt(ended.length),
      // No auction owns it, so it is not recorded.
      record: async () => undefined,
      recordCancellation: async () => undefined,
      isWanted: async () => true,
    }))
  const left = (await services.rights(existing)).filter(({ value }) => value > 0n)
  const kept = new Set(left.map(keyOf))
  const gone = existing.filter((right) => !kept.has(keyOf(right))).map(rightText)
  if (gone.length > 0) log.warn('rights of the settlement contract are ended', { ...about, rights: gone })
  if (left.length > 0)
    log.error('rights of the settlement contract are not ended', {
      ...about,
      rights: left.map(rightText),
      ...(outcome && { outcome: outcome.outcome }),
    })
}

const keyOf = ({ kind, contract, grantee, subject }: Right) => [kind, contract, grantee, subject].join()
