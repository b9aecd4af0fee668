-- What solvers are given at the moment: one row for each network, which every auction replaces.
CREATE TABLE "current_auctions" (
    "chain_id" INTEGER NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "block" BIGINT NOT NULL,
    "order_ids" BIGINT[],
    "filled" DECIMAL(78,0)[],
    "policies" JSONB[],
    "tokens" BYTEA[],
    "prices" DECIMAL(78,0)[],
    "jit_order_owners" BYTEA[],

    CONSTRAINT "current_auctions_pkey" PRIMARY KEY ("chain_id")
);
