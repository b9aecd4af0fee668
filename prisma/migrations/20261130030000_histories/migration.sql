-- The first block whose logs are indexed; null until a process has claimed the row with this column.
ALTER TABLE "order_books" ADD COLUMN "indexed_from" BIGINT;

-- Accounts whose older trades are read from the logs before that block, newest first, and whether their list
-- of orders was read to its end.
CREATE TABLE "account_histories" (
    "chain_id" INTEGER NOT NULL,
    "account" BYTEA NOT NULL,
    "unread_to" BIGINT NOT NULL,
    "turn_at" TIMESTAMPTZ(6) NOT NULL,
    "is_listed" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "account_histories_pkey" PRIMARY KEY ("chain_id", "account")
);

CREATE INDEX "account_histories_unread_idx" ON "account_histories"("chain_id", "turn_at") WHERE "unread_to" >= 0;
