import type {
  BalanceChange,
  ContractSlot,
  Footprint,
  GivenApproval,
  KeyedRead,
  KeyedWrite,
  SettlementEffects,
  TracedUse,
} from '../chain/settlement/effects.ts'
import { type Address, address } from '../domain/evm/address.ts'
import type { Network } from '../domain/network/network.ts'
import type { Interaction } from '../domain/order/order.ts'
import type { AuctionServices } from './services.ts'

const transfers = { transfer: '0xa9059cbb', transferFrom: '0x23b872dd' } as const
const approve = '0x095ea7b3'
const swap = '0x022c0d9f'

/**
 * Calls that may address a contract of which the settlement contract holds something. They move its balance
 * there in the open, as `balanceOf` shows it, or not at all.
 */
const knownCalls: ReadonlySet<string> = new Set([
  ...Object.values(transfers),
  // Ends with the settlement, where it is an allowance: see `unexplained`.
  approve,
  // Pairs and pools: swap, exchange(int128,…), exchange(uint256,…).
  swap,
  '0x3df02124',
  '0xddc1f59d',
  '0x5b41b908',
  // Wrappers: deposit(), withdraw(uint256), wrap(uint256), unwrap(uint256).
  '0xd0e30db0',
  '0x2e1a7d4d',
  '0xea598cb0',
  '0xde0e9a3e',
  // Vaults (ERC-4626): deposit, mint, withdraw, redeem.
  '0x6e553f65',
  '0x94bf804d',
  '0xb460af94',
  '0xba087652',
])

/** Calls with which contracts use balances and allowances of a token, also `balanceOf` and `allowance`. */
const uses: ReadonlySet<string> = new Set([...Object.values(transfers), '0x70a08231', '0xdd62ed3e'])

export function isKnownCall(callData: string): boolean {
  return callData === '0x' || knownCalls.has(callData.slice(0, 10))
}

/**
 * Returns true if the effect of a call in the settlement contract's name is known: it leaves no right, and
 * logs all that it moves.
 */
export function isPlain(
  { target, callData }: Interaction,
  { network, knownPools }: Pick<AuctionServices, 'network' | 'knownPools'>,
  isToken: (target: Address) => boolean,
): boolean {
  if (target === network.hooksTrampoline || target === network.balanceGuard) return true
  const selector = callData.slice(0, 10)
  if (selector === transfers.transfer) return isToken(target)
  if (selector === swap) return knownPools.has(target)
  return target === network.wrappedNative && (selector === '0xd0e30db0' || selector === '0x2e1a7d4d')
}

/** The approvals among the calls, each with its amounts in order. */
export function approvalsIn(calls: readonly Interaction[]): GivenApproval[] {
  const given = new Map<string, GivenApproval>()
  for (const { target: token, callData } of calls) {
    if (!callData.startsWith(approve) || callData.length < 138) continue
    const spender = address(`0x${callData.slice(34, 74)}`)
    const amounts = [...(given.get(token + spender)?.amounts ?? []), BigInt(`0x${callData.slice(74, 138)}`)]
    given.set(token + spender, { token, spender, amounts })
  }
  return [...given.values()]
}

interface Known {
  balances: ReadonlyMap<Address, BalanceChange>
  approvals: readonly GivenApproval[]
  network: Pick<Network, 'settlement'>
  effects: Pick<SettlementEffects, 'viewedSlots' | 'realAllowances'>
}

/**
 * Returns the part of a footprint that is neither a compared balance nor an allowance that ends. A slot with
 * the number of the balance is one only where the balance follows the slot; `approve` gives an allowance only
 * where `allowance` follows it. Nothing else explains what names the settlement contract.
 * @throws NotOffered; Outage
 */
export async function unexplained(
  { writes, reads }: Footprint,
  { balances, approvals, network, effects }: Known,
): Promise<Footprint> {
  if (writes.length + reads.length === 0) return { writes, reads }
  const real = new Set(await effects.realAllowances(approvals))
  const given = new Set(approvals.map(({ token }) => token))
  const other = new Set(approvals.filter((approval) => !real.has(approval)).map(({ token }) => token))
  const isAllowance = (token: Address) => given.has(token) && !other.has(token)
  const isToken = (contract: Address) => balances.has(contract)
  const openWrites = writes.filter((write) => !isMoved(write, isToken, isAllowance, network))
  const openReads = reads.filter((read) => !isKnownRead(read, isToken))
  const isEqual = ({ contract, before, after }: KeyedWrite) => {
    const balance = balances.get(contract)
    return balance !== undefined && BigInt(before) === balance.before && BigInt(after) === balance.after
  }
  /** The read of a token below another call, or by the approval of an allowance. */
  const mayBeOwn = ({ contract, names, path }: KeyedRead) =>
    !names &&
    isToken(contract) &&
    (path.length > 1 || (isAllowance(contract) && selectorOf(path) === approve))
  const asked = [...openWrites.filter(isEqual), ...openReads.filter(mayBeOwn)]
  const slots = new Map(asked.map(({ contract, slot }) => [contract + slot, { contract, slot }]))
  const viewed = await effects.viewedSlots([...slots.values()], approvals)
  const isBalance = among(viewed.balances)
  const isOwn = among([...viewed.balances, ...viewed.allowances])
  return {
    writes: openWrites.filter((write) => !(isEqual(write) && isBalance(write))),
    reads: openReads.filter((read) => !(mayBeOwn(read) && isOwn(read))),
  }
}

function among(slots: readonly ContractSlot[]): (slot: ContractSlot) => boolean {
  const known = new Set(slots.map(({ contract, slot }) => contract + slot))
  return ({ contract, slot }) => known.has(contract + slot)
}

/** Returns true if transfers change the slot, whose balances are compared, or if its allowance ends. */
function isMoved(
  { contract, before, after, callers }: KeyedWrite,
  isToken: (contract: Address) => boolean,
  isAllowance: (token: Address) => boolean,
  { settlement }: Pick<Network, 'settlement'>,
): boolean {
  const name = settlement.slice(2, 40)
  if (!isToken(contract) || before.includes(name) || after.includes(name)) return false
  const isBy = (...selectors: string[]) =>
    callers.every((chain) => chain.some((selector) => selectors.includes(selector)))
  if (isBy(transfers.transfer, transfers.transferFrom)) return true
  return isBy(approve) && isAllowance(contract) && BigInt(after) < BigInt(before)
}

/**
 * Returns true if a token that is compared reads its own storage: in a call by which others use it, with all
 * that it asks for that, or in a known call by the settlement contract.
 */
function isKnownRead({ path, names }: KeyedRead, isToken: (contract: Address) => boolean): boolean {
  if (names) return false
  const isUsed = ({ contract, selectors }: TracedUse) =>
    isToken(contract) && selectors.some((selector) => uses.has(selector))
  const [first, ...inner] = path
  if (path.some(isUsed)) return true
  const selector = selectorOf(path)
  return (
    first !== undefined &&
    inner.length === 0 &&
    isToken(first.contract) &&
    selector !== approve &&
    isKnownCall(selector)
  )
}

/** The selector of the settlement contract's own call. */
const selectorOf = ([first]: KeyedRead['path']): string => first?.selectors[0] ?? '0x'

/** Why what a call reads is refused, in words. */
export function readText({ contract, path }: KeyedRead): string {
  const text = positionText(contract, path.at(-1)?.selectors[0] ?? '0x')
  return path.length > 1 ? `${text}, as ${path[0]?.contract} does` : text
}

export function positionText(target: Address, callData: string): string {
  return `the settlement contract has a balance or position in ${target}, which may not be called with ${callData.slice(0, 10)}`
}

/** Why what a call leaves is refused, in words. */
export function leftText({ contract, slot, callers }: KeyedWrite): string {
  const by = callers[0]?.[0] ?? '0x'
  return `${by} leaves a right, or takes something, of the settlement contract in ${contract}: storage ${slot}`
}
