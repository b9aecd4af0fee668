import { NotOffered } from '../chain/bundle/simulate-v1.ts'
import { unreadToken } from '../chain/rpc/revert.ts'
import type {
  Approval,
  Footprint,
  KeyedRead,
  KeyedWrite,
  Observation,
  SettlementEffects,
} from '../chain/settlement/effects.ts'
import type { SettlementCall } from '../chain/settlement/sequence.ts'
import type { Auction } from '../domain/auction/auction.ts'
import type { SolutionRefusal } from '../domain/auction/competition.ts'
import type { Proposal, Solution } from '../domain/auction/solution.ts'
import { Outage } from '../domain/errors/error.ts'
import { type Address, address, zeroAddress } from '../domain/evm/address.ts'
import { keccakText } from '../domain/evm/keccak.ts'
import type { Interaction } from '../domain/order/order.ts'
import { solutionBookings } from './check-proposal.ts'
import { guarded, touchedBy } from './guards.ts'
import type { AuctionServices } from './services.ts'
import { encodeSolution } from './settlement-calldata.ts'

type Services = Pick<AuctionServices, 'network' | 'effects' | 'buffers' | 'heldTokens' | 'knownPools'>

/** Why a settlement of an outside solver may not be sent. */
export interface Danger {
  code: SolutionRefusal
  reason: string
  /** The settlement fails in the simulation, or leaves less than it must. */
  reverts?: boolean
}

/**
 * Contracts that a settlement calls and pays out, at most, and further ones in which it moves something: a
 * balance of each is read.
 */
const maxContracts = 64
/** Gas of a settlement with calls that are traced step by step, at most. */
export const maxTracedGas = 3_000_000n

const transfers = { transfer: '0xa9059cbb', transferFrom: '0x23b872dd' } as const
const approve = '0x095ea7b3'
const swap = '0x022c0d9f'

/**
 * Calls that may address a contract of which the settlement contract holds something. They move its balance
 * there in the open, as `balanceOf` shows it, or not at all.
 */
const knownCalls: ReadonlySet<string> = new Set([
  ...Object.values(transfers),
  // Ends with the settlement: see `rightsFault` and the allowances of engines.
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

/**
 * Adds the guard to an engine's solution, and inspects its settlement. Tokens that the simulation sees moving
 * are guarded too.
 * @returns the solution as it would be sent, or why it may not be
 */
export async function guardedSolution(
  auction: Auction,
  solution: Solution,
  services: Services,
): Promise<Solution | Danger> {
  const { network, heldTokens } = services
  const bookings = solutionBookings(auction, solution, network)
  const touched = touchedBy(solution.proposal, auction, network.wrappedNative)
  if (touched.length > maxContracts) return tooManyContracts
  const held = new Map<Address, bigint>()
  // The guard contract reads balances itself. Without one, each comparison is a transfer: of what the
  // settlement touches alone.
  if (network.balanceGuard) for (const token of heldTokens.list()) held.set(token, 0n)
  const guard = async (tokens: readonly Address[]) => {
    const unread = tokens.filter((token) => !held.has(token))
    const balances = await services.buffers(unread)
    for (const [index, token] of unread.entries()) {
      const balance = balances[index]
      if (balance !== undefined) held.set(token, balance)
    }
    return guarded(solution, bookings, held, network)
  }
  return inTime(async () => {
    let safe = await guard(touched)
    const inspected = await inspect(auction, safe, [...held.keys()], services, async (moved) => {
      safe = await guard(moved)
      return { solution: safe, compared: [...held.keys()] }
    })
    const isSpoiled = inspected?.reverts && spoils(inspected.reason, touched, services)
    return isSpoiled ? guardedSolution(auction, solution, services) : (inspected ?? safe)
  })
}

/**
 * Leaves out a held token that cannot be read, by the text of a settlement's revert: a stranger can send one
 * that fails at will.
 * @param touched tokens that are the settlement's own matter
 * @returns whether it was such a token
 */
export function spoils(
  reason: string,
  touched: readonly Address[],
  { heldTokens }: Pick<Services, 'heldTokens'>,
): boolean {
  const token = unreadToken(reason)
  return token !== undefined && !touched.includes(address(token)) && heldTokens.drop(address(token))
}

/** Why a settlement that is guarded, or that its solver sends itself, may not be sent. */
export async function dangerOf(
  auction: Auction,
  solution: Solution,
  services: Services,
): Promise<Danger | undefined> {
  const { network, heldTokens } = services
  const { proposal } = solution
  const touched = touchedBy(proposal, auction, network.wrappedNative)
  if (touched.length > maxContracts) return tooManyContracts
  const compared = proposal.compared ?? [...new Set([...touched, ...heldTokens.list()])]
  return inTime(() =>
    inspect(auction, solution, compared, services, async (moved) => {
      if (proposal.compared)
        return { code: 'contract_balance', reason: `it now moves ${named(moved)} of the settlement contract` }
      return { solution, compared: [...compared, ...moved] }
    }),
  )
}

/** Why the form of a settlement that leaves nothing out fails. It is not sent. */
export async function wholeDanger(
  auction: Auction,
  solution: Solution,
  { network, effects }: Pick<Services, 'network' | 'effects'>,
): Promise<Danger | undefined> {
  return inTime(async () => {
    const observed = await effects.observe(encodeSolution(auction, solution, network), [])
    return 'revert' in observed
      ? reverting(`with the interactions that are left out: ${observed.revert}`)
      : undefined
  })
}

const tooManyContracts: Danger = {
  code: 'unsupported',
  reason: `the settlement calls more than ${maxContracts} contracts`,
}

/** Turns an outage of the node into a danger: no settlement of an outside solver is then known to be safe. */
async function inTime<T>(work: () => Promise<T | Danger>): Promise<T | Danger> {
  try {
    return await work()
  } catch (fault) {
    if (fault instanceof NotOffered)
      return { code: 'unsupported', reason: `the node cannot simulate it: ${fault.message.slice(0, 100)}` }
    if (!(fault instanceof Outage)) throw fault
    return { code: 'unsupported', reason: 'it cannot be simulated: the node does not answer' }
  }
}

type Again = { solution: Solution; compared: readonly Address[] }

/**
 * @param compared the tokens whose balances are compared
 * @param withMoved returns the solution again, with further tokens in which the settlement moves something
 */
async function inspect(
  auction: Auction,
  solution: Solution,
  compared: readonly Address[],
  services: Services,
  withMoved: (moved: readonly Address[]) => Promise<Again | Danger>,
): Promise<Danger | undefined> {
  const { network, effects, heldTokens } = services
  const { chosen = [] } = solution.proposal
  const approvals = approvalsIn(solution.proposal)
  if (approvals.length > maxContracts) return tooManyContracts
  const held = new Set(heldTokens.list())
  const unknown = chosen.find((call) => held.has(call.target) && !isKnownCall(call.callData))
  if (unknown) return unknownCall(unknown.target, unknown.callData)
  const encode = (one: Solution) => encodeSolution(auction, one, network)
  const first = await effects.observe(encode(solution), compared, approvals)
  if ('revert' in first) return reverting(first.revert)
  const isToken = (target: Address) => first.balances.has(target)
  const isKnown = chosen.every((call) => isPlain(call, services, isToken))
  const footprint = isKnown ? nothing : await footprintOf(encode(solution), first, effects)
  if ('code' in footprint) return footprint
  const read = footprint.reads.find((one) => !isKnownRead(one, isToken))
  if (read) return unknownCall(read.contract, read.selector)
  const isCompared = new Set(compared)
  const moved = [
    ...new Set([...movedIn(first, network.settlement), ...footprint.writes.map(({ contract }) => contract)]),
  ].filter((token) => !isCompared.has(token))
  if (moved.length > maxContracts)
    return { code: 'unsupported', reason: `it moves tokens of more than ${maxContracts} other contracts` }
  if (moved.length === 0) return dangerIn(auction, solution, first, footprint, services)
  const again = await withMoved(moved)
  if ('code' in again) return again
  const second = await effects.observe(encode(again.solution), again.compared, approvals)
  if ('revert' in second) return reverting(second.revert)
  return dangerIn(auction, again.solution, second, footprint, services)
}

const nothing: Footprint = { writes: [], reads: [] }

const reverting = (reason: string): Danger => ({ code: 'reverts', reason, reverts: true })

/**
 * Returns true if the effect of a call in the settlement contract's name is known: it leaves no right, and
 * logs all that it moves.
 */
export function isPlain(
  { target, callData }: Interaction,
  { network, knownPools }: Pick<Services, 'network' | 'knownPools'>,
  isToken: (target: Address) => boolean,
): boolean {
  if (target === network.hooksTrampoline || target === network.balanceGuard) return true
  const selector = callData.slice(0, 10)
  if (selector === transfers.transfer || selector === approve) return isToken(target)
  if (selector === swap) return knownPools.has(target)
  return target === network.wrappedNative && (selector === '0xd0e30db0' || selector === '0x2e1a7d4d')
}

/**
 * Returns true if a call may read storage of the settlement contract: in a known way, and as a balance that
 * is compared.
 */
export function isKnownRead(
  { contract, selector }: KeyedRead,
  isToken: (target: Address) => boolean,
): boolean {
  return isKnownCall(selector) && isToken(contract)
}

function isKnownCall(callData: string): boolean {
  return callData === '0x' || knownCalls.has(callData.slice(0, 10))
}

export function unknownCall(target: Address, callData: string): Danger {
  const reason = `the settlement contract has a balance or position in ${target}, which may not be called with ${callData.slice(0, 10)}`
  return { code: 'forbidden_call', reason }
}

async function footprintOf(
  call: SettlementCall,
  { gas }: Observation,
  effects: SettlementEffects,
): Promise<Footprint | Danger> {
  if (gas > maxTracedGas)
    return {
      code: 'unsupported',
      reason: `it uses ${gas} gas: with calls of its own, a settlement may use ${maxTracedGas}`,
    }
  try {
    return await effects.footprint(call)
  } catch (fault) {
    if (!(fault instanceof NotOffered)) throw fault
    const reason = `what its calls leave behind cannot be seen with this node: ${fault.message.slice(0, 100)}`
    return { code: 'unsupported', reason }
  }
}

const events = {
  transfer: keccakText('Transfer(address,address,uint256)'),
  approval: keccakText('Approval(address,address,uint256)'),
  single: keccakText('TransferSingle(address,address,address,uint256,uint256)'),
  batch: keccakText('TransferBatch(address,address,address,uint256[],uint256[])'),
}

/** Tokens with a log of a transfer from or to the settlement contract. */
function movedIn({ logs }: Observation, settlement: Address): Address[] {
  return logs.flatMap(({ address: token, topics: [event, from, to] }) =>
    event === events.transfer && [from, to].some((topic) => topic && accountIn(topic) === settlement)
      ? token
      : [],
  )
}

const accountIn = (topic: string) => address(`0x${topic.slice(26)}`)

/** The first forbidden effect that the simulation shows. */
async function dangerIn(
  auction: Auction,
  solution: Solution,
  observed: Observation,
  { writes }: Footprint,
  services: Services,
): Promise<Danger | undefined> {
  const { network } = services
  const least = new Map(
    solutionBookings(auction, solution, network).map((booking) => [booking.token, booking.least]),
  )
  for (const [token, { before, after }] of observed.balances) {
    const missing = before + (least.get(token) ?? 0n) - after
    if (missing > 0n)
      return {
        code: 'contract_balance',
        reason: `the settlement contract would have ${missing} less of ${token} than before and its fees`,
        reverts: true,
      }
  }
  const left = writes.find((write) => !isBalance(write, observed))
  if (left) return leftBehind(left)
  const approvals = approvalsIn(solution.proposal)
  return pieceDanger(observed, network.settlement) ?? rightDanger(observed, approvals, services)
}

/**
 * Single tokens (ERC-721, ERC-1155) that leave the settlement contract: their number does not say which they
 * are.
 */
function pieceDanger({ logs }: Observation, settlement: Address): Danger | undefined {
  const senderIn = ([event, first, second, third]: readonly string[]) => {
    if (event === events.transfer) return third && first
    return event === events.single || event === events.batch ? second : undefined
  }
  const gone = logs.find(({ topics }) => {
    const sender = senderIn(topics)
    return sender !== undefined && accountIn(sender) === settlement
  })
  return (
    gone && {
      code: 'contract_balance',
      reason: `it takes a token of ${gone.address} from the settlement contract`,
    }
  )
}

/** The allowances that a proposal gives: they have to end in it. */
function approvalsIn({ before = [], interactions, after = [] }: Proposal): Approval[] {
  const given = [...before, ...interactions, ...after].flatMap(
    ({ target, callData }): [string, Approval][] => {
      if (!callData.startsWith(approve) || callData.length < 138) return []
      const spender = accountIn(`0x${callData.slice(10, 74)}`)
      return [[target + spender, { token: target, spender }]]
    },
  )
  return [...new Map(given).values()]
}

export function leftBehind({ contract, slot, callers }: KeyedWrite): Danger {
  const by = callers[0]?.[0] ?? '0x'
  const reason = `${by} leaves a right, or takes something, of the settlement contract in ${contract}: storage ${slot}`
  return { code: 'forbidden_call', reason }
}

/**
 * Returns true if the slot is explained: by a transfer, whose balances are compared; by a balance, as it
 * stands there; or as an allowance that ends.
 */
export function isBalance(
  { contract, before, after, callers }: KeyedWrite,
  { balances }: Pick<Observation, 'balances'>,
): boolean {
  const balance = balances.get(contract)
  if (!balance) return false
  const isBy = (...selectors: string[]) =>
    callers.every((chain) => chain.some((selector) => selectors.includes(selector)))
  if (isBy(transfers.transfer, transfers.transferFrom)) return true
  if (isBy(approve)) return BigInt(after) < BigInt(before)
  return BigInt(before) === balance.before && BigInt(after) === balance.after
}

/** Allowances that are greater than before, and approvals of single tokens (ERC-721). */
async function rightDanger(
  { logs, allowances }: Observation,
  approvals: readonly Approval[],
  { network, effects }: Services,
): Promise<Danger | undefined> {
  const given = new Map(
    approvals.map(({ token, spender }, index) => [
      token + spender,
      { token, spender, amount: allowances[index] ?? 0n },
    ]),
  )
  for (const { address: token, topics, data } of logs) {
    const [event, owner, to, id] = topics
    if (event !== events.approval || !owner || !to || accountIn(owner) !== network.settlement) continue
    const spender = accountIn(to)
    if (id !== undefined && spender !== zeroAddress) return allowanceLeft(token, spender)
    if (id === undefined && data.length === 66 && !given.has(token + spender))
      given.set(token + spender, { token, spender, amount: BigInt(data) })
  }
  const open = [...given.values()].filter(({ amount }) => amount > 0n).slice(0, maxContracts)
  if (open.length === 0) return undefined
  const before = await effects.allowances(open)
  const grown = open.find(({ amount }, index) => amount > (before[index] ?? 0n))
  return grown && allowanceLeft(grown.token, grown.spender)
}

function allowanceLeft(token: Address, spender: Address): Danger {
  return {
    code: 'forbidden_call',
    reason: `it leaves ${spender} an allowance of the settlement contract's ${token}: it may end only with 0`,
  }
}

function named(tokens: readonly Address[]): string {
  return tokens.slice(0, 3).join(', ')
}
