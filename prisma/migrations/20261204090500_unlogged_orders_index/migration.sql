-- Parts whose signatures are still to be compared with the contract.
CREATE INDEX CONCURRENTLY "programmatic_parts_due_idx" ON "programmatic_parts"("chain_id", "next_look")
  WHERE "next_look" IS NOT NULL;
