import type { Auction } from '../../domain/auction/auction.ts'
import type { Proposal } from '../../domain/auction/solution.ts'
import { Refusal } from '../../domain/errors/error.ts'
import type { Address } from '../../domain/evm/address.ts'
import type { Clock } from '../../domain/log.ts'
import type { Pool } from '../../domain/routing/pool.ts'
import { OutsideFault } from '../../outside/fault.ts'
import type { Health } from '../../outside/health.ts'
import { JsonText } from '../../outside/http-json.ts'
import { faultNotice } from '../outside/fault-notice.ts'
import { createPunctuality } from '../outside/punctuality.ts'
import type { Notice, Solver } from '../solver.ts'
import type { AuctionWriter } from './auction.ts'
import type { SolverEngine } from './engine.ts'
import { guarded, touchedBy } from './guards.ts'
import type { SolutionNotice } from './notices.ts'
import { toProposal } from './proposal.ts'

export interface EngineSolverOptions {
  name: string
  /** Account that submits its settlements. */
  address: Address
  engine: SolverEngine
  health: Health
  write: AuctionWriter
  notify(notice: SolutionNotice): void
  network: { settlement: Address; vaultRelayer: Address; hooksTrampoline: Address; wrappedNative: Address }
  /** What the settlement contract has of each; zero for what is no token. */
  buffers(tokens: readonly Address[]): Promise<readonly bigint[]>
  now: Clock
  /** Time from the question to the deadline that it names, in milliseconds. */
  solveMs: number
}

/** Solutions of one answer that compete, at most. */
const maxProposals = 3
/** Contracts that the solutions of one answer call and pay out, at most. */
const maxContracts = 64

/** An engine that takes part in auctions. The service encodes, simulates and submits what it proposes. */
export function createEngineSolver(options: EngineSolverOptions): Solver {
  const { name, address, engine, health, write, notify, network, buffers, now, solveMs } = options
  const { settlement, vaultRelayer, hooksTrampoline } = network
  const forbidden = [settlement, vaultRelayer, hooksTrampoline]
  const punctuality = createPunctuality()
  const origins = new WeakMap<Proposal, { auctionId: bigint; solutionIds: number[] }>()

  /** @throws OutsideFault or Refusal, of which the engine is notified */
  async function ask(auction: Auction, pools: readonly Pool[]) {
    const deadline = new Date(now() + solveMs)
    const request = new JsonText(await write(auction, pools, deadline))
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
      notify(proposal, notice) {
        const origin = origins.get(proposal)
        if (origin) notify({ ...origin, ...notice })
      },
      notifyOfAuction: (auctionId, notice) => notify({ auctionId, solutionIds: [], ...notice }),
    },
    async solve(auction, { pools }) {
      const solutions = await ask(auction, pools)
      const touched = new Set<Address>()
      const accepted = solutions.flatMap((solution) => {
        const origin = { auctionId: auction.id, solutionIds: [solution.id] }
        const proposal = toProposal(solution, { pools, settlement, forbidden })
        const tokens = 'kind' in proposal ? [] : touchedBy(proposal, auction, network.wrappedNative)
        const refusal = 'kind' in proposal ? proposal : tooMany(new Set([...touched, ...tokens]).size)
        if (refusal) notify({ ...origin, ...refusal })
        if (refusal || 'kind' in proposal) return []
        for (const token of tokens) touched.add(token)
        return [{ origin, proposal, tokens }]
      })
      if (accepted.length === 0) return []
      const balances = await buffers([...touched])
      const held = new Map([...touched].map((token, index) => [token, balances[index] ?? 0n]))
      return accepted.map(({ origin, proposal, tokens }) => {
        const safe = guarded(proposal, tokens, held, settlement)
        origins.set(safe, origin)
        return safe
      })
    },
  }
}

/** A balance of each is read. @returns the refusal of a solution with which an answer calls so many contracts */
function tooMany(contracts: number): Notice | undefined {
  if (contracts <= maxContracts) return undefined
  const reason = `the solutions of an answer call more than ${maxContracts} contracts`
  return { kind: 'driverError', reason, extra: { reason } }
}
