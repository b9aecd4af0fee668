import { minOf } from '../../domain/amount.ts'
import type { Auction } from '../../domain/auction/auction.ts'
import { Outage, Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import { type Clock, unixSeconds } from '../../domain/log.ts'
import type { Network } from '../../domain/network/network.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { Health } from '../../outside/health.ts'
import { JsonText } from '../../outside/http-json.ts'
import { faultNotice, refusedBy, type SolutionNotice } from '../outside/notices.ts'
import { createPunctuality } from '../outside/punctuality.ts'
import type { Solver } from '../solver.ts'
import type { EngineSolution, SolverEngine } from './client.ts'
import { type Amounts, afterUse, allowedBy, type Limits, type Permission } from './interactions.ts'
import { toProposal } from './proposal.ts'
import type { AuctionWriter } from './request.ts'

interface EngineSolverOptions {
  name: string
  /** The account that submits its settlements. */
  address: Address
  engine: SolverEngine
  health: Health
  write: AuctionWriter
  notify(notice: SolutionNotice): void
  network: Pick<
    Network,
    'chainId' | 'settlement' | 'vaultRelayer' | 'hooksTrampoline' | 'wrappedNative' | 'balanceGuard'
  >
  /**
   * Returns the settlement contract's balance of each token; undefined for an address that is not a token.
   */
  buffers(tokens: readonly Address[]): Promise<readonly (bigint | undefined)[]>
  /**
   * The limits of interactions that may be left out, and the contract's payments for them since a time or
   * still due; nothing if absent.
   */
  internalize?: { limits: Limits; paid(since: Date): Promise<Amounts> }
  /** True if the engine may bring orders of its own. */
  jitOrders?: boolean
  now: Clock
  /** The time from the request to the deadline in it, in milliseconds. */
  solveMs: number
}

/** The maximum number of solutions of one answer that compete. */
const maxProposals = 3
const dayMs = 24 * 3_600_000

/**
 * Creates a solver from an engine that takes part in auctions. The service encodes, simulates and submits its
 * proposals.
 */
export function createEngineSolver(options: EngineSolverOptions): Solver {
  const { name, address, engine, health, write, notify, network, buffers, now, solveMs, jitOrders } = options
  const { limits, paid = async () => new Map() } = options.internalize ?? {}
  const { settlement, vaultRelayer, hooksTrampoline, balanceGuard } = network
  const forbidden = [settlement, vaultRelayer, hooksTrampoline, ...(balanceGuard ? [balanceGuard] : [])]
  const punctuality = createPunctuality()

  /** The balances without addresses that are not tokens. */
  async function balancesOf(addresses: readonly Address[]): Promise<Amounts> {
    const balances = await buffers(addresses)
    return new Map(
      addresses.flatMap((token, index) => {
        const balance = balances[index]
        return balance === undefined ? [] : [[token, balance] as const]
      }),
    )
  }

  /** The amounts of the settlement contract's tokens that a solution may use. */
  async function available(permission: Permission | undefined): Promise<Amounts> {
    if (!permission) return new Map()
    const allowed = allowedBy(permission)
    const held = await balancesOf([...allowed.keys()])
    return new Map([...allowed].map(([token, amount]) => [token, minOf(amount, held.get(token) ?? 0n)]))
  }

  /** Requests solutions. @throws OutsideFault or Refusal, of which the engine is notified */
  async function ask(auction: Auction, pools: readonly Pool[], permission: Permission | undefined) {
    const deadline = new Date(now() + solveMs)
    const request = new JsonText(await write(auction, pools, deadline, await available(permission)))
    const about = { auctionId: auction.id, solutionIds: [] }
    try {
      const solutions = await health.ask(() => engine.solve(request, AbortSignal.timeout(solveMs)))
      punctuality.answered(now() <= deadline.getTime())
      return solutions
    } catch (fault) {
      const notice = faultNotice(fault)
      if (notice) notify({ ...about, ...notice })
      if (fault instanceof OutsideFault) punctuality.answered(false)
      if (fault instanceof Refusal) return []
      throw fault
    }
  }

  return {
    name,
    address,
    outside: {
      maxProposals,
      isPunctual: () => health.state() === 'closed' && punctuality.isPunctual(),
      notify: (origin, notice) => notify({ ...origin, ...notice }),
    },
    async solve(auction, { pools, refuse }) {
      let permission = await permissionNow()
      const solutions = await ask(auction, pools, permission)
      const jit = jitOrders
        ? { domain: network, wrappedNative: network.wrappedNative, now: unixSeconds(now()) }
        : undefined
      return solutions.flatMap((solution) => {
        const origin = { auctionId: auction.id, solutionIds: [solution.id] }
        const proposal = toProposal(solution, { pools, settlement, forbidden, permission, jit })
        if ('kind' in proposal) {
          notify({ ...origin, ...proposal })
          refuse?.({ ...origin, ...refusedBy(proposal), orderUids: ordersOf(solution) })
          return []
        }
        // The solutions of an answer may all win, so they share the rest of the day's limit.
        if (permission && proposal.internalized) permission = afterUse(permission, proposal.internalized)
        return [{ ...proposal, origin }]
      })
    },
  }

  /** The current permission; none if the database does not answer. */
  async function permissionNow(): Promise<Permission | undefined> {
    if (!limits || limits.size === 0) return undefined
    try {
      return { limits, paid: await paid(new Date(now() - dayMs)) }
    } catch (fault) {
      if (fault instanceof Outage) return undefined
      throw fault
    }
  }
}

const ordersOf = ({ trades }: EngineSolution) =>
  trades.flatMap((trade) => (trade.kind === 'jit' ? [] : [trade.order]))
