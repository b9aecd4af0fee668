-- Settlements whose solver is not known yet.
CREATE INDEX CONCURRENTLY "settlements_solver_due_idx" ON "settlements"("chain_id", "solver_due")
  WHERE "solver_due" IS NOT NULL;
