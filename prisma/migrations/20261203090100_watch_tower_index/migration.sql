-- Programmatic orders in the order in which they are due.
CREATE INDEX CONCURRENTLY "programmatic_orders_chain_id_poll_at_idx" ON "programmatic_orders"("chain_id", "poll_at");
