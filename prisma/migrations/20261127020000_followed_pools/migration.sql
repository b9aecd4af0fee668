-- CreateTable
CREATE TABLE "pool_indexes" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "block_time" TIMESTAMPTZ(6) NOT NULL,
    "from_block" BIGINT NOT NULL,
    "from_time" TIMESTAMPTZ(6) NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "pool_indexes_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "followed_pools" (
    "chain_id" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "token0" BYTEA NOT NULL,
    "token1" BYTEA NOT NULL,
    "used_at" TIMESTAMPTZ(6) NOT NULL,
    "from_block" BIGINT,
    "reserve0" DECIMAL(78,0),
    "reserve1" DECIMAL(78,0),

    CONSTRAINT "followed_pools_pkey" PRIMARY KEY ("chain_id","address")
);

-- CreateTable
CREATE TABLE "pool_volumes" (
    "chain_id" INTEGER NOT NULL,
    "pool" BYTEA NOT NULL,
    "span" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "amount0" DECIMAL(78,0) NOT NULL,
    "amount1" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "pool_volumes_pkey" PRIMARY KEY ("chain_id","pool","span","block_number")
);

-- CreateIndex
CREATE INDEX "pool_volumes_chain_id_block_number_idx" ON "pool_volumes"("chain_id", "block_number");
