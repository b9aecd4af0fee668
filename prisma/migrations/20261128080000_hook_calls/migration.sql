-- CreateTable
CREATE TABLE "hook_calls" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "phase" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "order_id" BIGINT NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "target" BYTEA NOT NULL,
    "outcome" TEXT,
    "reason" TEXT,
    "gas_used" BIGINT,
    "unknown" TEXT DEFAULT 'notYetRead',
    "tries" SMALLINT NOT NULL DEFAULT 0,

    CONSTRAINT "hook_calls_pkey" PRIMARY KEY ("chain_id","block_number","log_index","phase","position")
);

-- CreateIndex
CREATE INDEX "hook_calls_order_id_block_number_idx" ON "hook_calls"("order_id", "block_number");

-- Those that are to be read, in their order.
CREATE INDEX "hook_calls_unread_idx" ON "hook_calls"("chain_id", "tries", "block_number", "tx_hash")
  WHERE "unknown" = 'notYetRead';
