-- What a followed order book does not report, and more of what it does.
-- AlterTable
ALTER TABLE "auctions" ADD COLUMN     "unknown_orders" INTEGER;

-- AlterTable
ALTER TABLE "mirrored_orders" ADD COLUMN     "reported_balance" DECIMAL(78,0);

-- AlterTable
ALTER TABLE "order_quotes" ADD COLUMN     "exact_gas_amount" TEXT,
ADD COLUMN     "exact_gas_price" TEXT;
