-- Attempts that a transfer may have ended, until the indexer knows.
CREATE INDEX CONCURRENTLY "settlement_attempts_cancelled_idx" ON "settlement_attempts"("chain_id", "auction_id")
  WHERE "cancellation_hashes" <> '{}' AND "reverted_gas" IS NULL AND "outcome" <> 'success';
