-- What only the order book reports that a network follows.
-- AlterTable
ALTER TABLE "auctions" ADD COLUMN     "order_ids" BIGINT[] DEFAULT ARRAY[]::BIGINT[];

-- AlterTable
ALTER TABLE "mirrored_orders" ADD COLUMN     "are_fees_due" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "refund_tx_hash" BYTEA;

-- AlterTable
ALTER TABLE "solutions" ADD COLUMN     "clearing_prices" JSONB;

-- AlterTable
ALTER TABLE "trades" ADD COLUMN     "reported_fees" JSONB;
