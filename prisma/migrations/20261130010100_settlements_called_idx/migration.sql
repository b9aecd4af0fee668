-- Settlements whose auction is not stored, by the number that they name.
CREATE INDEX CONCURRENTLY "settlements_called_idx" ON "settlements"("chain_id", "called_auction")
  WHERE "auction_id" IS NULL AND "called_auction" IS NOT NULL;
