-- Orders that were placed on chain and have expired: what they did not sell is given back.
CREATE INDEX "orders_refundable_idx" ON "orders"("chain_id", "id")
  WHERE onchain_user IS NOT NULL AND expired_at_block IS NOT NULL AND NOT invalidated AND cancelled_at IS NULL;
