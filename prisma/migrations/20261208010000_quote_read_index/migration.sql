-- Orders whose quotes are to be read.
CREATE INDEX CONCURRENTLY "mirrored_orders_quote_due_idx" ON "mirrored_orders"("chain_id", "order_id")
  WHERE "is_quote_read" IS NULL;
