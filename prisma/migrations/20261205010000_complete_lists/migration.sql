-- How far the list of an account and the trades of an order were read: what is not complete says so.
-- AlterTable
ALTER TABLE "account_histories" ADD COLUMN     "list_newest" TIMESTAMPTZ(6),
ADD COLUMN     "list_offset" INTEGER,
ADD COLUMN     "listed_to" TIMESTAMPTZ(6),
ADD COLUMN     "read_at" TIMESTAMPTZ(6);

-- AlterTable
ALTER TABLE "mirrored_orders" ADD COLUMN     "reported_sell" DECIMAL(78,0);
