-- The number of the auction that the call of a settlement names; null without one.
ALTER TABLE "settlements" ADD COLUMN "called_auction" BIGINT;

-- The number of the newest competition that an order book has shown.
ALTER TABLE "order_books" ADD COLUMN "newest_competition" BIGINT NOT NULL DEFAULT 0;

-- Competitions of an order book that are not stored: to be requested, or unknown to it when they were last requested.
CREATE TABLE "missing_competitions" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "asked_at" TIMESTAMPTZ(6) NOT NULL,
    "times" INTEGER NOT NULL,

    CONSTRAINT "missing_competitions_pkey" PRIMARY KEY ("chain_id", "number")
);
