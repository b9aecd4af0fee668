-- Orders whose trades lack the fees that the order book reports.
CREATE INDEX CONCURRENTLY "mirrored_orders_fees_due_idx" ON "mirrored_orders"("chain_id", "traded_at")
  WHERE "are_fees_due";
