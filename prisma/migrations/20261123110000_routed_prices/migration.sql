-- What the router found for a live order, and at which block.
ALTER TABLE "order_standings" ADD COLUMN "routed_sell" DECIMAL(78,0), ADD COLUMN "routed_buy" DECIMAL(78,0), ADD COLUMN "routed_block" BIGINT;
