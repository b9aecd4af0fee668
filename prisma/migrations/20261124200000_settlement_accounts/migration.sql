-- What mined settlements cost, kept and left, and what reverted attempts cost.
ALTER TABLE "settlements" ADD COLUMN "deadline_block" BIGINT,
ADD COLUMN "gas_used" DECIMAL(78,0),
ADD COLUMN "effective_gas_price" DECIMAL(78,0),
ADD COLUMN "is_measured" BOOLEAN NOT NULL DEFAULT false;
UPDATE "settlements" s SET "deadline_block" = a."deadline_block" FROM "auctions" a WHERE a."id" = s."auction_id";
CREATE INDEX "settlements_chain_id_solver_block_number_log_index_idx" ON "settlements"("chain_id", "solver", "block_number", "log_index");
-- Accounts of a range of blocks: all solvers, and one after the other.
CREATE INDEX "settlements_deadline_idx" ON "settlements"("chain_id", "deadline_block") WHERE "deadline_block" IS NOT NULL;
CREATE INDEX "settlements_solver_deadline_idx" ON "settlements"("chain_id", "solver", "deadline_block") WHERE "deadline_block" IS NOT NULL;

ALTER TABLE "settlement_attempts" ADD COLUMN "reverted_gas" DECIMAL(78,0),
ADD COLUMN "reverted_gas_price" DECIMAL(78,0),
ADD COLUMN "reverted_block" BIGINT;
-- Attempts whose transaction may have reverted, until the indexer knows; and those that a reorg takes back.
CREATE INDEX "settlement_attempts_unread_idx" ON "settlement_attempts"("chain_id", "auction_id")
  WHERE "tx_hash" IS NOT NULL AND "reverted_gas" IS NULL AND "outcome" NOT IN ('success', 'timeout');
CREATE INDEX "settlement_attempts_reverted_idx" ON "settlement_attempts"("chain_id", "reverted_block") WHERE "reverted_block" IS NOT NULL;

ALTER TABLE "executions" ADD COLUMN "network_fee" DECIMAL(78,0);

CREATE TABLE "settlement_amounts" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "policy" TEXT,
    "recipient" BYTEA,
    "token" BYTEA NOT NULL,
    "amount" DECIMAL(100,0) NOT NULL,
    "value" DECIMAL(160,0),

    CONSTRAINT "settlement_amounts_pkey" PRIMARY KEY ("chain_id","block_number","log_index","position")
);
