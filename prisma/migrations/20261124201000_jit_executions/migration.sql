-- What solutions propose for orders that their solvers bring themselves.
CREATE TABLE "jit_executions" (
    "auction_id" BIGINT NOT NULL,
    "solution_uid" INTEGER NOT NULL,
    "order_uid" BYTEA NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "sell_token" BYTEA NOT NULL,
    "buy_token" BYTEA NOT NULL,
    "executed_sell" DECIMAL(78,0) NOT NULL,
    "executed_buy" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "jit_executions_pkey" PRIMARY KEY ("auction_id","solution_uid","order_uid")
);
