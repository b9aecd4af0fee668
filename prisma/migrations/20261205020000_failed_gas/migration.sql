-- What made settlements fail on chain, so that their gas is counted there.
-- AlterTable
ALTER TABLE "settlement_attempts" ADD COLUMN     "failure_cause" JSONB;
