-- What a diagnosis tells: all of it is null or empty in rows that are older.
ALTER TABLE "order_standings"
  ADD COLUMN "policy_share" BIGINT,
  ADD COLUMN "balance" DECIMAL(78,0),
  ADD COLUMN "allowance" DECIMAL(78,0),
  ADD COLUMN "revert" TEXT,
  ADD COLUMN "unpriced" BYTEA[] NOT NULL DEFAULT '{}',
  ADD COLUMN "best_sell" DECIMAL(78,0),
  ADD COLUMN "best_buy" DECIMAL(78,0),
  ADD COLUMN "best_block" BIGINT,
  ADD COLUMN "best_at" TIMESTAMPTZ(6);

CREATE TABLE "auction_rounds" (
  "chain_id" INTEGER NOT NULL,
  "at" TIMESTAMPTZ(6) NOT NULL,
  "block" BIGINT NOT NULL,
  CONSTRAINT "auction_rounds_pkey" PRIMARY KEY ("chain_id")
);
