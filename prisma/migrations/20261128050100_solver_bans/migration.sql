-- Solvers that took what the settlement contract had, and until when they are not asked.
CREATE TABLE "solver_bans" (
  "chain_id" INTEGER NOT NULL,
  "solver" BYTEA NOT NULL,
  "tx_hash" BYTEA NOT NULL,
  "block" BIGINT NOT NULL,
  "until_block" BIGINT NOT NULL,
  "reason" TEXT NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  CONSTRAINT "solver_bans_pkey" PRIMARY KEY ("chain_id", "solver", "tx_hash")
);
