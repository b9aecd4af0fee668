import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import type { RefusedSolution, SolverAnswer } from '../../domain/auction/competition.ts'
import type { Address } from '../../domain/evm/address.ts'
import { bytea, raw } from '../database/columns.ts'
import { type Db, sql, type Tx } from '../database/database.ts'
import { leaveTime } from '../models/completeness.ts'

/** Notices of one solver on one network that are kept: the newest. */
const maxNoticesOfSolver = 1_000
/** Requests of one network that are kept: those of the newest auctions. */
const maxStoredRequests = 100

interface StoredNotice {
  chainId: number
  solver: Address
  auctionId: bigint
  /** Ids that the solver assigned, up to 2^63. */
  solutionIds: readonly bigint[]
  kind: string
  reason: string
  at: Date
}

/** Inserts a notice. In SQL: the same statement removes surplus, so the limit is passed by one at most. */
export async function insertNotice(db: Db, notice: StoredNotice): Promise<void> {
  const { chainId, auctionId, solutionIds, kind, reason, at } = notice
  const solver = bytea(notice.solver)
  await sql(db).$executeRaw`
    WITH removed AS (
      DELETE FROM solver_notices WHERE chain_id = ${chainId} AND solver = ${solver} AND id <= (
        SELECT id FROM solver_notices WHERE chain_id = ${chainId} AND solver = ${solver} ORDER BY id DESC OFFSET ${maxNoticesOfSolver - 1} LIMIT 1)
    )
    INSERT INTO solver_notices (chain_id, solver, auction_id, solution_ids, kind, reason, at)
    VALUES (${chainId}, ${solver}, ${auctionId}, ${[...solutionIds]}::bigint[], ${kind}, ${reason}, ${at})`
}

interface NoticesQuery {
  chainId: number
  solver: Address
  limit: number
  /**
   * Leaves out notices about auctions that may still be settled or are not stored. Auctions with later ids
   * have later deadlines.
   */
  hidesCompetitions: boolean
}

/** The newest notices as a JSON list. In SQL: the database writes the text. */
export async function noticesJson(
  db: Db,
  { chainId, solver, limit, hidesCompetitions }: NoticesQuery,
): Promise<string> {
  const [row] = await sql(db).$queryRaw<{ body: string }[]>`
    SELECT coalesce(json_agg(json_build_object('auctionId', n.auction_id, 'solutionIds', n.solution_ids::text[], 'kind', n.kind,
      'reason', n.reason, 'timestamp', to_char(n.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')) ORDER BY n.id DESC), '[]')::text AS body
    FROM (
      SELECT * FROM solver_notices s WHERE chain_id = ${chainId} AND solver = ${bytea(solver)}
        AND (NOT ${hidesCompetitions} OR s.auction_id <= (SELECT a.id FROM auctions a WHERE a.chain_id = ${chainId}
          AND a.deadline_block < (SELECT block_number FROM checkpoints WHERE chain_id = ${chainId}) ORDER BY a.id DESC LIMIT 1))
      ORDER BY id DESC LIMIT ${limit}) n`
  return row?.body ?? '[]'
}

/** Inserts a request. The first of an auction stays: a later one has fewer orders. In SQL: as above. */
export async function insertRequest(
  db: Db,
  { auctionId, chainId, text }: { auctionId: bigint; chainId: number; text: string },
): Promise<void> {
  const body = new Uint8Array(await promisify(gzip)(text))
  await sql(db).$executeRaw`
    WITH removed AS (
      DELETE FROM solver_requests WHERE chain_id = ${chainId} AND auction_id <= (
        SELECT auction_id FROM solver_requests WHERE chain_id = ${chainId} ORDER BY auction_id DESC OFFSET ${maxStoredRequests - 1} LIMIT 1)
    )
    INSERT INTO solver_requests (auction_id, chain_id, body) VALUES (${auctionId}, ${chainId}, ${body}) ON CONFLICT DO NOTHING`
}

/** The JSON text; undefined where it is not kept. */
export async function findRequest(db: Db, auctionId: bigint): Promise<string | undefined> {
  const row = await sql(db).solverRequest.findUnique({ where: { auctionId } })
  return row ? (await promisify(gunzip)(row.body)).toString('utf8') : undefined
}

/** Characters of a refusal's message that are kept. */
export const maxRefusalMessage = 500
/** Refusals of one solver in one answer that are kept: the first. */
const maxRefusalsOfAnswer = 10
/** Refusals of one solver on one network that are kept: the newest. */
export const maxRefusalsOfSolver = 10_000

interface NewAnswer {
  solver: Address
  answer: SolverAnswer
  fault: string | null
  milliseconds: number | null
}

export async function insertAnswers(tx: Tx, auctionId: bigint, answers: readonly NewAnswer[]): Promise<void> {
  await sql(tx).solverAnswer.createMany({
    data: answers.map(({ solver, answer, fault, milliseconds }) => ({
      auctionId,
      answer,
      milliseconds,
      solver: bytea(solver),
      fault: fault?.slice(0, maxRefusalMessage) ?? null,
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

/** Inserts refused solutions of one auction. In SQL: surplus is counted from a solver's newest. */
export async function insertRefusals(db: Db, refusals: readonly NewRefusal[], at: Date): Promise<void> {
  for (const solver of new Set(refusals.map((one) => one.solver))) {
    const kept = refusals.filter((one) => one.solver === solver).slice(0, maxRefusalsOfAnswer)
    const [first] = kept
    if (!first) continue
    await sql(db).refusedSolution.createMany({
      data: kept.map(({ solutionIds, orderIds, message, code, ...one }) => ({
        auctionId: one.auctionId,
        chainId: one.chainId,
        code,
        at,
        deadlineBlock: BigInt(one.deadlineBlock),
        solver: bytea(solver),
        solutionIds: solutionIds.map(BigInt).filter((id) => id < 2n ** 63n),
        orderIds: [...orderIds],
        message: message.slice(0, maxRefusalMessage),
      })),
    })
    await sql(db).$executeRaw`
      WITH removed AS (
        DELETE FROM refused_solutions WHERE chain_id = ${first.chainId} AND solver = ${bytea(solver)} AND id <= (
          SELECT id FROM refused_solutions WHERE chain_id = ${first.chainId} AND solver = ${bytea(solver)}
          ORDER BY id DESC OFFSET ${maxRefusalsOfSolver} LIMIT 1) RETURNING at
      ) ${raw(leaveTime('refused_solutions'))}`
  }
}
