-- Accounts whose orders at the order book are read again and again: of streams, channels and queries.
CREATE TABLE "watched_accounts" (
    "chain_id" INTEGER NOT NULL,
    "account" BYTEA NOT NULL,
    "watched_until" TIMESTAMPTZ(6) NOT NULL,
    "read_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "watched_accounts_pkey" PRIMARY KEY ("chain_id", "account")
);

CREATE INDEX "watched_accounts_chain_id_read_at_idx" ON "watched_accounts"("chain_id", "read_at");
