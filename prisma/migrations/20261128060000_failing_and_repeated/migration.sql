-- AlterTable
ALTER TABLE "order_events" ADD COLUMN     "times" INTEGER NOT NULL DEFAULT 1;

-- AlterTable
ALTER TABLE "order_standings" ADD COLUMN     "failing_pool" BYTEA,
ADD COLUMN     "failing_token" BYTEA;
