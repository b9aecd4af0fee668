-- The presignature of an order that comes from another order book, as of a final block: its logs may be older
-- than the first indexed block.
-- AlterTable
ALTER TABLE "mirrored_orders" ADD COLUMN     "presigned" BOOLEAN;
