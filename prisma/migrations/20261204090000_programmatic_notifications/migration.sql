-- Through which time the parts of a programmatic order are notified, the poll of the part before, and the times of blocks.
-- AlterTable
ALTER TABLE "blocks" ADD COLUMN     "time" BIGINT;

-- AlterTable
ALTER TABLE "programmatic_orders" ADD COLUMN     "closed_through" BIGINT,
ADD COLUMN     "prior_polled_at" TIMESTAMPTZ(6),
ADD COLUMN     "prior_reason" TEXT,
ADD COLUMN     "prior_result" TEXT;
