-- Live orders of new trades, which are compared before others.
CREATE INDEX CONCURRENTLY "mirrored_orders_traded_idx" ON "mirrored_orders"("chain_id", "traded_at")
  WHERE "is_live" AND "traded_at" IS NOT NULL;
