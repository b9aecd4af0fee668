-- An order book that a network follows: which one, and the budgets of calls that all processes share.
CREATE TABLE "order_books" (
    "chain_id" INTEGER NOT NULL,
    "url" TEXT NOT NULL,
    "client_calls_at" TIMESTAMPTZ(6) NOT NULL,
    "own_calls_at" TIMESTAMPTZ(6) NOT NULL,
    "paused_until" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "order_books_pkey" PRIMARY KEY ("chain_id")
);

-- Orders that come from it.
CREATE TABLE "mirrored_orders" (
    "order_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "compared_at" TIMESTAMPTZ(6) NOT NULL,
    "is_live" BOOLEAN NOT NULL,

    CONSTRAINT "mirrored_orders_pkey" PRIMARY KEY ("order_id")
);

CREATE INDEX "mirrored_orders_chain_id_is_live_compared_at_idx" ON "mirrored_orders"("chain_id", "is_live", "compared_at");

-- UIDs that it did not know when it was last asked.
CREATE TABLE "missing_orders" (
    "chain_id" INTEGER NOT NULL,
    "uid" BYTEA NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL,
    "times" INTEGER NOT NULL,

    CONSTRAINT "missing_orders_pkey" PRIMARY KEY ("chain_id", "uid")
);

CREATE INDEX "missing_orders_asked_at_idx" ON "missing_orders"("asked_at");
