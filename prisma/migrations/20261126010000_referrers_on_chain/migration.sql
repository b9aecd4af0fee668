-- The trader of an order that was placed on chain is its user: the index has both, so that the traders of a code are read from it alone.
DROP INDEX "orders_referrer_code_idx";
CREATE INDEX "orders_referrer_code_idx" ON "orders"("referrer_code", "owner", "onchain_user") WHERE referrer_code IS NOT NULL;
