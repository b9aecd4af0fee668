-- The search by a hash.
CREATE INDEX CONCURRENTLY "programmatic_orders_chain_id_hash_idx" ON "programmatic_orders"("chain_id", "hash");
