-- The search by the transaction of a creation.
CREATE INDEX CONCURRENTLY "programmatic_creations_chain_id_tx_hash_idx" ON "programmatic_creations"("chain_id", "tx_hash");
