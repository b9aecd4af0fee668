-- Trades whose orders are not known, until an order book that is followed returns them.
CREATE INDEX CONCURRENTLY "trades_unknown_idx" ON "trades"("chain_id", "block_number", "log_index")
  WHERE "order_id" IS NULL;
