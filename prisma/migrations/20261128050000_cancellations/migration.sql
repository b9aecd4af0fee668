-- Transfers that were to take the nonce of a settlement whose time was over, and what the one that did cost.
ALTER TABLE "settlement_attempts"
  ADD COLUMN "cancellation_hashes" BYTEA[] NOT NULL DEFAULT '{}',
  ADD COLUMN "cancellation_gas" DECIMAL(78,0),
  ADD COLUMN "cancellation_gas_price" DECIMAL(78,0);
