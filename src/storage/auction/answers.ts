import type { RefusedSolution, SolverAnswer } from '../../domain/auction/refusal.ts'
import type { Address } from '../../domain/evm/address.ts'
import { bytea } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'

/** Characters of a refusal's message that are kept. */
export const maxMessage = 500
/** Refusals of one solver in one answer that are kept: the first. */
export const keptOfAnswer = 10
/** Refusals of one solver on one network that are kept: the newest. */
export const keptRefusals = 10_000

export interface NewAnswer {
  solver: Address
  answer: SolverAnswer
  fault: string | null
  milliseconds: number | null
}

export async function insertAnswers(tx: Tx, auctionId: bigint, answers: readonly NewAnswer[]): Promise<void> {
  await sql(tx).solverAnswer.createMany({
    data: answers.map(({ solver, answer, fault, milliseconds }) => ({
      ...{ auctionId, answer, milliseconds },
      solver: bytea(solver),
      fault: fault?.slice(0, maxMessage) ?? null,
    })),
    // Two solvers with one account are one here.
    skipDuplicates: true,
  })
}

export interface NewRefusal extends Omit<RefusedSolution, 'orderUids'> {
  auctionId: bigint
  chainId: number
  deadlineBlock: number
  solver: Address
  orderIds: readonly bigint[]
}

/** Refused solutions of one auction. In SQL: what is too many of a solver is removed by counting from its end. */
export async function insertRefusals(db: Db, refusals: readonly NewRefusal[], at: Date): Promise<void> {
  for (const solver of new Set(refusals.map((one) => one.solver))) {
    const kept = refusals.filter((one) => one.solver === solver).slice(0, keptOfAnswer)
    const [first] = kept
    if (!first) continue
    await sql(db).refusedSolution.createMany({
      data: kept.map(({ solutionIds, orderIds, message, code, ...one }) => ({
        ...{ auctionId: one.auctionId, chainId: one.chainId, code, at },
        deadlineBlock: BigInt(one.deadlineBlock),
        solver: bytea(solver),
        solutionIds: solutionIds.map(BigInt).filter((id) => id < 2n ** 63n),
        orderIds: [...orderIds],
        message: message.slice(0, maxMessage),
      })),
    })
    await sql(db).$executeRaw`
      DELETE FROM refused_solutions WHERE chain_id = ${first.chainId} AND solver = ${bytea(solver)} AND id <= (
        SELECT id FROM refused_solutions WHERE chain_id = ${first.chainId} AND solver = ${bytea(solver)}
        ORDER BY id DESC OFFSET ${keptRefusals} LIMIT 1)`
  }
}
