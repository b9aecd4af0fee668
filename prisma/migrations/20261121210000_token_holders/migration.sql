-- CreateTable
CREATE TABLE "holder_tokens" (
    "id" SERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "address" BYTEA NOT NULL,
    "from_block" BIGINT NOT NULL,
    "indexed_to" BIGINT,
    "fault_block" BIGINT,

    CONSTRAINT "holder_tokens_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "token_balances" (
    "token_id" INTEGER NOT NULL,
    "holder" BYTEA NOT NULL,
    "balance" DECIMAL(200,0) NOT NULL,

    CONSTRAINT "token_balances_pkey" PRIMARY KEY ("token_id","holder")
);

-- CreateTable
CREATE TABLE "token_balance_changes" (
    "token_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "holder" BYTEA NOT NULL,
    "change" DECIMAL(200,0) NOT NULL,

    CONSTRAINT "token_balance_changes_pkey" PRIMARY KEY ("token_id","block_number","holder")
);

-- CreateIndex
CREATE UNIQUE INDEX "holder_tokens_chain_id_address_key" ON "holder_tokens"("chain_id", "address");

-- The greatest holders of a token; accounts that gave everything away are not in it.
CREATE INDEX "token_balances_greatest_idx" ON "token_balances"("token_id", "balance" DESC, "holder") WHERE "balance" > 0;
