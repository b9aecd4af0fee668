-- Settlements whose transactions no node knew, until one does.
CREATE INDEX CONCURRENTLY "settlements_unread_idx" ON "settlements"("chain_id", "block_number", "tx_hash")
  WHERE "is_unread";
