-- Why an order placed on chain can never be traded, in words.
ALTER TABLE "orders" ADD COLUMN "placement_detail" TEXT;
