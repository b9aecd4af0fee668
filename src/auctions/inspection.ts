import { NotOffered } from '../chain/bundle/simulate-v1.ts'
import { unreadToken } from '../chain/rpc/revert.ts'
import type {
  Footprint,
  GivenApproval,
  MinedPlace,
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
import { solutionBookings } from './check-proposal.ts'
import {
  approvalsIn,
  isKnownCall,
  isPlain,
  leftText,
  positionText,
  readText,
  unexplained,
} from './footprint.ts'
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
  /** A contract of its solver's choice reverts with the words of the guard contract. */
  isForged?: boolean
}

/**
 * Contracts that a settlement calls and pays out, at most, and further ones in which it moves something: a
 * balance of each is read.
 */
const maxContracts = 64
/** Gas of a settlement with calls that are traced step by step, at most. */
export const maxTracedGas = 3_000_000n

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
    if (!inspected?.reverts) return inspected ?? safe
    const call = encodeSolution(auction, safe, network)
    const spoilt = await spoiltBy({ call, reason: inspected.reason, touched }, services)
    if (spoilt === 'token') return guardedSolution(auction, solution, services)
    return spoilt ? { ...inspected, ...spoilt } : inspected
  })
}

/** A settlement that reverted. */
interface Reverted {
  call: SettlementCall
  /** The revert in words. Any contract can choose them. */
  reason: string
  /** The tokens that are the settlement's own matter. */
  touched: readonly Address[]
  mined?: MinedPlace | undefined
}

/**
 * Examines a revert that names a held token as one that cannot be read. The token is left out only if the
 * guard contract cannot read it in a settlement of nothing else: a stranger can send one that fails at will.
 * @returns `token` if it was left out; or who else reverted with these words; undefined for another reason
 * @throws NotOffered; Outage
 */
export async function spoiltBy(
  { call, reason, touched, mined }: Reverted,
  { network, effects, heldTokens }: Pick<Services, 'network' | 'effects' | 'heldTokens'>,
): Promise<'token' | Pick<Danger, 'reason' | 'isForged'> | undefined> {
  const name = unreadToken(reason)
  if (name === undefined || !network.balanceGuard) return undefined
  const token = address(name)
  if (touched.includes(token) || !heldTokens.list().includes(token)) return undefined
  if (await effects.isUnreadable(call.sender, token, mined)) {
    heldTokens.drop(token)
    return 'token'
  }
  const place = await effects.revertPlace(call, mined)
  if (!place) return { reason: `${reason}, it says; alone it can be read` }
  const isForged = place.called !== network.balanceGuard
  return {
    reason: `${reason}, says ${place.by ?? 'a contract that it makes'}; alone it can be read`,
    isForged,
  }
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
  const approvals = approvalsOf(solution.proposal)
  if (approvals.length > maxContracts) return tooManyContracts
  const held = new Set(heldTokens.list())
  const unknown = chosen.find((call) => held.has(call.target) && !isKnownCall(call.callData))
  if (unknown) return forbidden(positionText(unknown.target, unknown.callData))
  const encode = (one: Solution) => encodeSolution(auction, one, network)
  const first = await effects.observe(encode(solution), compared, approvals)
  if ('revert' in first) return reverting(first.revert)
  const isToken = (target: Address) => first.balances.has(target)
  const isKnown = approvals.length === 0 && chosen.every((call) => isPlain(call, services, isToken))
  const footprint = isKnown ? nothing : await footprintOf(encode(solution), first, effects)
  if ('code' in footprint) return footprint
  const read = footprint.reads.find(({ names }) => names)
  if (read) return forbidden(readText(read))
  const isCompared = new Set(compared)
  const moved = [
    ...new Set([
      ...movedIn(first, network.settlement),
      ...[...footprint.writes, ...footprint.reads].map(({ contract }) => contract),
    ]),
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

const forbidden = (reason: string): Danger => ({ code: 'forbidden_call', reason })

const reverting = (reason: string): Danger => ({ code: 'reverts', reason, reverts: true })

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
  footprint: Footprint,
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
  const approvals = approvalsOf(solution.proposal)
  const given =
    pieceDanger(observed, network.settlement) ?? (await rightDanger(observed, approvals, services))
  if (given) return given
  const { balances } = observed
  const {
    writes: [left],
    reads: [read],
  } = await unexplained(footprint, { ...services, balances, approvals })
  if (left) return forbidden(leftText(left))
  return read && forbidden(readText(read))
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
function approvalsOf({ before = [], interactions, after = [] }: Proposal): GivenApproval[] {
  return approvalsIn([...before, ...interactions, ...after])
}

/** Allowances that are greater than before, and approvals of single tokens (ERC-721). */
async function rightDanger(
  { logs, allowances }: Observation,
  approvals: readonly GivenApproval[],
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
  return forbidden(
    `it leaves ${spender} an allowance of the settlement contract's ${token}: it may end only with 0`,
  )
}

function named(tokens: readonly Address[]): string {
  return tokens.slice(0, 3).join(', ')
}
