-- What outside solvers were notified of, the newest of each solver.
CREATE TABLE "solver_notices" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "solver" BYTEA NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "solution_ids" BIGINT[],
    "kind" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "solver_notices_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "solver_notices_chain_id_solver_id_idx" ON "solver_notices"("chain_id", "solver", "id");
-- What outside solvers were sent, of the newest auctions.
CREATE TABLE "solver_requests" (
    "auction_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "body" BYTEA NOT NULL,

    CONSTRAINT "solver_requests_pkey" PRIMARY KEY ("auction_id")
);
CREATE INDEX "solver_requests_chain_id_auction_id_idx" ON "solver_requests"("chain_id", "auction_id");
