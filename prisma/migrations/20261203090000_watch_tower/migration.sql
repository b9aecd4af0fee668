-- When the watch tower polls a programmatic order, and what the last poll found.
-- AlterTable
ALTER TABLE "programmatic_orders" ADD COLUMN     "poll_at" BIGINT DEFAULT 0,
ADD COLUMN     "poll_block" BIGINT,
ADD COLUMN     "poll_reason" TEXT,
ADD COLUMN     "poll_repeats" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "poll_result" TEXT,
ADD COLUMN     "polled_at" TIMESTAMPTZ(6),
ADD COLUMN     "polled_block" BIGINT;
