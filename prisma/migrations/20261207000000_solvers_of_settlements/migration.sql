-- AlterTable
ALTER TABLE "checkpoints" ADD COLUMN     "solvers_from" BIGINT;

-- AlterTable
ALTER TABLE "settlements" ADD COLUMN     "solver_due" TIMESTAMPTZ(3),
ADD COLUMN     "solver_tries" SMALLINT NOT NULL DEFAULT 0;

-- CreateTable
CREATE TABLE "solver_permissions" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "account" BYTEA NOT NULL,
    "is_allowed" BOOLEAN NOT NULL,

    CONSTRAINT "solver_permissions_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateIndex
CREATE INDEX "solver_permissions_chain_id_account_block_number_log_index_idx" ON "solver_permissions"("chain_id", "account", "block_number", "log_index");
