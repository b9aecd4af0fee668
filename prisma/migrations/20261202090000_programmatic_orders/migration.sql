-- Programmatic orders: authorisations in ComposableCoW by which handlers make orders, part by part, with what the chain says of them.
-- CreateTable
CREATE TABLE "programmatic_orders" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "owner" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "handler" BYTEA NOT NULL,
    "salt" BYTEA NOT NULL,
    "static_input" BYTEA NOT NULL,
    "created_block" BIGINT NOT NULL,
    "type" TEXT NOT NULL,
    "context" BYTEA,
    "looked_block" BIGINT,
    "next_look" BIGINT DEFAULT 0,
    "removed_block" BIGINT,
    "removed_at" TIMESTAMPTZ(6),
    "part_count" BIGINT,
    "starts_at" BIGINT,
    "ends_at" BIGINT,
    "fault" TEXT,

    CONSTRAINT "programmatic_orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "programmatic_creations" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "owner" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "block_time" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "programmatic_creations_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "programmatic_roots" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "owner" BYTEA NOT NULL,
    "root" BYTEA NOT NULL,
    "location" DECIMAL(78,0) NOT NULL,
    "data" BYTEA,

    CONSTRAINT "programmatic_roots_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "sheds" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "shed" BYTEA NOT NULL,
    "account" BYTEA NOT NULL,

    CONSTRAINT "sheds_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "programmatic_parts" (
    "order_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "owner" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "programmatic_parts_pkey" PRIMARY KEY ("order_id")
);

-- CreateTable
CREATE TABLE "programmatic_histories" (
    "chain_id" INTEGER NOT NULL,
    "next_block" BIGINT NOT NULL,
    "last_block" BIGINT NOT NULL,

    CONSTRAINT "programmatic_histories_pkey" PRIMARY KEY ("chain_id")
);

-- CreateIndex
CREATE INDEX "programmatic_orders_chain_id_owner_created_block_id_idx" ON "programmatic_orders"("chain_id", "owner", "created_block", "id");

-- CreateIndex
CREATE INDEX "programmatic_orders_chain_id_created_block_id_idx" ON "programmatic_orders"("chain_id", "created_block", "id");

-- CreateIndex
CREATE INDEX "programmatic_orders_chain_id_next_look_idx" ON "programmatic_orders"("chain_id", "next_look");

-- CreateIndex
CREATE UNIQUE INDEX "programmatic_orders_chain_id_owner_hash_key" ON "programmatic_orders"("chain_id", "owner", "hash");

-- CreateIndex
CREATE INDEX "programmatic_creations_chain_id_owner_hash_block_number_log_idx" ON "programmatic_creations"("chain_id", "owner", "hash", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "programmatic_roots_chain_id_owner_block_number_log_index_idx" ON "programmatic_roots"("chain_id", "owner", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "sheds_chain_id_shed_idx" ON "sheds"("chain_id", "shed");

-- CreateIndex
CREATE INDEX "sheds_chain_id_account_idx" ON "sheds"("chain_id", "account");

-- CreateIndex
CREATE INDEX "programmatic_parts_chain_id_owner_hash_order_id_idx" ON "programmatic_parts"("chain_id", "owner", "hash", "order_id");
