-- Settlements that failed on chain, of which there are few.
CREATE INDEX CONCURRENTLY "settlement_attempts_failed_idx" ON "settlement_attempts"("chain_id", "reverted_block")
  WHERE "reverted_gas" > 0;
