-- CreateTable
CREATE TABLE "networks" (
    "chain_id" INTEGER NOT NULL,
    "name" TEXT NOT NULL,
    "genesis_hash" BYTEA NOT NULL,

    CONSTRAINT "networks_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "tokens" (
    "chain_id" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "symbol" TEXT,
    "name" TEXT,
    "decimals" INTEGER,

    CONSTRAINT "tokens_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "app_data" (
    "hash" BYTEA NOT NULL,
    "document" TEXT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "app_data_pkey" PRIMARY KEY ("hash")
);

-- CreateTable
CREATE TABLE "quotes" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "quote_kind" TEXT NOT NULL,
    "sell_token" BYTEA NOT NULL,
    "buy_token" BYTEA NOT NULL,
    "sell_amount" DECIMAL(78,0) NOT NULL,
    "buy_amount" DECIMAL(78,0) NOT NULL,
    "fee_amount" DECIMAL(78,0) NOT NULL,
    "gas_amount" DECIMAL(78,0) NOT NULL,
    "gas_price" DECIMAL(78,0) NOT NULL,
    "sell_token_price" TEXT NOT NULL,
    "solver" BYTEA NOT NULL,
    "verified" BOOLEAN NOT NULL,
    "expiration" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "quotes_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "orders" (
    "id" BIGSERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "uid" BYTEA NOT NULL,
    "owner" BYTEA NOT NULL,
    "sell_token" BYTEA NOT NULL,
    "buy_token" BYTEA NOT NULL,
    "receiver" BYTEA,
    "sell_amount" DECIMAL(78,0) NOT NULL,
    "buy_amount" DECIMAL(78,0) NOT NULL,
    "valid_to" BIGINT NOT NULL,
    "app_data" BYTEA NOT NULL,
    "fee_amount" DECIMAL(78,0) NOT NULL,
    "kind" TEXT NOT NULL,
    "partially_fillable" BOOLEAN NOT NULL,
    "sell_token_balance" TEXT NOT NULL,
    "buy_token_balance" TEXT NOT NULL,
    "signing_scheme" TEXT NOT NULL,
    "signature" BYTEA NOT NULL,
    "settlement" BYTEA NOT NULL,
    "class" TEXT NOT NULL,
    "quote_id" BIGINT,
    "full_balance_check" BOOLEAN NOT NULL,
    "valid_from" BIGINT,
    "interactions" JSONB,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "executed_sell" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "executed_buy" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "executed_signed_fee" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "executed_fee" DECIMAL(78,0) NOT NULL DEFAULT 0,
    "executed_fee_token" BYTEA,
    "cancelled_at" TIMESTAMPTZ(6),
    "invalidated" BOOLEAN NOT NULL DEFAULT false,
    "presigned" BOOLEAN NOT NULL DEFAULT false,
    "effective_valid_to" BIGINT NOT NULL,
    "expired_at_block" BIGINT,

    CONSTRAINT "orders_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "order_quotes" (
    "order_id" BIGINT NOT NULL,
    "gas_amount" DECIMAL(78,0) NOT NULL,
    "gas_price" DECIMAL(78,0) NOT NULL,
    "sell_token_price" TEXT NOT NULL,
    "sell_amount" DECIMAL(78,0) NOT NULL,
    "buy_amount" DECIMAL(78,0) NOT NULL,
    "fee_amount" DECIMAL(78,0) NOT NULL,
    "solver" BYTEA NOT NULL,
    "verified" BOOLEAN NOT NULL,

    CONSTRAINT "order_quotes_pkey" PRIMARY KEY ("order_id")
);

-- CreateTable
CREATE TABLE "order_events" (
    "id" BIGSERIAL NOT NULL,
    "order_id" BIGINT NOT NULL,
    "label" TEXT NOT NULL,
    "reason" TEXT,
    "timestamp" TIMESTAMPTZ(6) NOT NULL,
    "block_number" BIGINT,

    CONSTRAINT "order_events_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auctions" (
    "id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "block" BIGINT NOT NULL,
    "deadline_block" BIGINT NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auctions_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "auction_orders" (
    "order_id" BIGINT NOT NULL,
    "auction_id" BIGINT NOT NULL,

    CONSTRAINT "auction_orders_pkey" PRIMARY KEY ("order_id","auction_id")
);

-- CreateTable
CREATE TABLE "auction_prices" (
    "auction_id" BIGINT NOT NULL,
    "token" BYTEA NOT NULL,
    "price" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "auction_prices_pkey" PRIMARY KEY ("auction_id","token")
);

-- CreateTable
CREATE TABLE "solutions" (
    "auction_id" BIGINT NOT NULL,
    "uid" INTEGER NOT NULL,
    "ranking" INTEGER NOT NULL,
    "solver" BYTEA NOT NULL,
    "is_winner" BOOLEAN NOT NULL,
    "filtered_out" BOOLEAN NOT NULL,
    "score" DECIMAL(78,0) NOT NULL,
    "reference_score" DECIMAL(78,0),

    CONSTRAINT "solutions_pkey" PRIMARY KEY ("auction_id","uid")
);

-- CreateTable
CREATE TABLE "solution_executions" (
    "order_id" BIGINT NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "solution_uid" INTEGER NOT NULL,
    "executed_sell" DECIMAL(78,0) NOT NULL,
    "executed_buy" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "solution_executions_pkey" PRIMARY KEY ("order_id","auction_id","solution_uid")
);

-- CreateTable
CREATE TABLE "fee_policies" (
    "order_id" BIGINT NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "factor" INTEGER NOT NULL,
    "max_volume_factor" INTEGER,

    CONSTRAINT "fee_policies_pkey" PRIMARY KEY ("order_id","auction_id","position")
);

-- CreateTable
CREATE TABLE "settlement_attempts" (
    "auction_id" BIGINT NOT NULL,
    "solution_uid" INTEGER NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "solver" BYTEA NOT NULL,
    "started_at" TIMESTAMPTZ(6) NOT NULL,
    "start_block" BIGINT NOT NULL,
    "deadline_block" BIGINT NOT NULL,
    "tx_hash" BYTEA,
    "ended_at" TIMESTAMPTZ(6),
    "end_block" BIGINT,
    "outcome" TEXT,

    CONSTRAINT "settlement_attempts_pkey" PRIMARY KEY ("auction_id","solution_uid")
);

-- CreateTable
CREATE TABLE "executions" (
    "order_id" BIGINT NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "executed_fee" DECIMAL(78,0) NOT NULL,
    "executed_fee_token" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "protocol_fee_tokens" BYTEA[],
    "protocol_fee_amounts" DECIMAL(78,0)[],

    CONSTRAINT "executions_pkey" PRIMARY KEY ("order_id","auction_id")
);

-- CreateTable
CREATE TABLE "trades" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_id" BIGINT,
    "order_uid" BYTEA NOT NULL,
    "owner" BYTEA NOT NULL,
    "sell_token" BYTEA NOT NULL,
    "buy_token" BYTEA NOT NULL,
    "sell_amount" DECIMAL(78,0) NOT NULL,
    "buy_amount" DECIMAL(78,0) NOT NULL,
    "fee_amount" DECIMAL(78,0) NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "auction_id" BIGINT,

    CONSTRAINT "trades_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "settlements" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "solver" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,
    "auction_id" BIGINT,
    "solution_uid" INTEGER,

    CONSTRAINT "settlements_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "invalidations" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_uid" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,

    CONSTRAINT "invalidations_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "presignatures" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_uid" BYTEA NOT NULL,
    "owner" BYTEA NOT NULL,
    "signed" BOOLEAN NOT NULL,
    "tx_hash" BYTEA NOT NULL,

    CONSTRAINT "presignatures_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);

-- CreateTable
CREATE TABLE "notifications" (
    "id" BIGSERIAL NOT NULL,
    "cause" TEXT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "account" BYTEA NOT NULL,
    "type" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "timestamp" TIMESTAMPTZ(6) NOT NULL,
    "metadata" JSONB NOT NULL,
    "block_number" BIGINT,
    "detached" BOOLEAN NOT NULL DEFAULT false,

    CONSTRAINT "notifications_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "feed_entries" (
    "tx" BIGINT NOT NULL,
    "id" BIGSERIAL NOT NULL,
    "account" BYTEA NOT NULL,
    "notification_id" BIGINT NOT NULL,

    CONSTRAINT "feed_entries_pkey" PRIMARY KEY ("tx","id")
);

-- CreateTable
CREATE TABLE "checkpoints" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_hash" BYTEA NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "checkpoints_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "blocks" (
    "chain_id" INTEGER NOT NULL,
    "number" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,
    "parent_hash" BYTEA NOT NULL,

    CONSTRAINT "blocks_pkey" PRIMARY KEY ("chain_id","number")
);

-- CreateIndex
CREATE UNIQUE INDEX "networks_name_key" ON "networks"("name");

-- CreateIndex
CREATE INDEX "quotes_chain_id_sell_token_buy_token_kind_expiration_idx" ON "quotes"("chain_id", "sell_token", "buy_token", "kind", "expiration");

-- CreateIndex
CREATE INDEX "quotes_expiration_idx" ON "quotes"("expiration");

-- CreateIndex
CREATE INDEX "orders_uid_idx" ON "orders"("uid");

-- CreateIndex
CREATE INDEX "orders_owner_created_at_id_idx" ON "orders"("owner", "created_at", "id");

-- CreateIndex
CREATE INDEX "orders_chain_id_created_at_id_idx" ON "orders"("chain_id", "created_at", "id");

-- CreateIndex
CREATE INDEX "orders_created_at_id_idx" ON "orders"("created_at", "id");

-- CreateIndex
CREATE INDEX "orders_chain_id_effective_valid_to_idx" ON "orders"("chain_id", "effective_valid_to");

-- CreateIndex
CREATE INDEX "orders_chain_id_expired_at_block_effective_valid_to_idx" ON "orders"("chain_id", "expired_at_block", "effective_valid_to");

-- CreateIndex
CREATE UNIQUE INDEX "orders_chain_id_uid_key" ON "orders"("chain_id", "uid");

-- CreateIndex
CREATE INDEX "order_events_order_id_timestamp_id_idx" ON "order_events"("order_id", "timestamp", "id");

-- CreateIndex
CREATE INDEX "auctions_chain_id_id_idx" ON "auctions"("chain_id", "id");

-- CreateIndex
CREATE INDEX "auction_orders_auction_id_idx" ON "auction_orders"("auction_id");

-- CreateIndex
CREATE INDEX "solution_executions_auction_id_solution_uid_idx" ON "solution_executions"("auction_id", "solution_uid");

-- CreateIndex
CREATE INDEX "fee_policies_auction_id_idx" ON "fee_policies"("auction_id");

-- CreateIndex
CREATE INDEX "settlement_attempts_chain_id_outcome_idx" ON "settlement_attempts"("chain_id", "outcome");

-- CreateIndex
CREATE INDEX "settlement_attempts_chain_id_deadline_block_idx" ON "settlement_attempts"("chain_id", "deadline_block");

-- CreateIndex
CREATE INDEX "trades_order_id_block_number_log_index_idx" ON "trades"("order_id", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "trades_owner_block_number_log_index_idx" ON "trades"("owner", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "trades_order_uid_idx" ON "trades"("order_uid");

-- CreateIndex
CREATE INDEX "settlements_auction_id_solution_uid_idx" ON "settlements"("auction_id", "solution_uid");

-- CreateIndex
CREATE INDEX "settlements_tx_hash_idx" ON "settlements"("tx_hash");

-- CreateIndex
CREATE INDEX "invalidations_order_uid_idx" ON "invalidations"("order_uid");

-- CreateIndex
CREATE INDEX "presignatures_order_uid_block_number_log_index_idx" ON "presignatures"("order_uid", "block_number", "log_index");

-- CreateIndex
CREATE UNIQUE INDEX "notifications_cause_key" ON "notifications"("cause");

-- CreateIndex
CREATE INDEX "notifications_account_id_idx" ON "notifications"("account", "id");

-- CreateIndex
CREATE INDEX "notifications_chain_id_detached_block_number_idx" ON "notifications"("chain_id", "detached", "block_number");

-- CreateIndex
CREATE INDEX "feed_entries_account_tx_id_idx" ON "feed_entries"("account", "tx", "id");

-- CreateIndex
CREATE INDEX "feed_entries_notification_id_idx" ON "feed_entries"("notification_id");

-- One sequence of auction ids for all networks, drawn before an auction is known to be stored.
CREATE SEQUENCE "auction_ids";

-- What an auction may hold: orders that are neither cancelled nor filled. Ended ones with a long validity stay out of its way.
CREATE INDEX "orders_unfinished_idx" ON "orders"("chain_id", "effective_valid_to", "id") WHERE cancelled_at IS NULL AND NOT invalidated AND CASE kind WHEN 'buy' THEN executed_buy < buy_amount ELSE executed_sell - executed_signed_fee < sell_amount END;
