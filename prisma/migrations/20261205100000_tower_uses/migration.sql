-- Failed polls of programmatic orders, and what their owners have used of the watch tower.
-- AlterTable
ALTER TABLE "programmatic_orders" ADD COLUMN     "poll_failures" INTEGER NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "tower_uses" (
    "chain_id" INTEGER NOT NULL,
    "owner" BYTEA NOT NULL,
    "poll_ms" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "polled_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "placed" BIGINT NOT NULL DEFAULT 0,
    "failures" INTEGER NOT NULL DEFAULT 0,
    "stored_orders" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "stored_bytes" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "stored_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "tower_uses_pkey" PRIMARY KEY ("chain_id","owner")
);
