-- CreateTable
CREATE TABLE "settlement_holding_indexes" (
    "chain_id" INTEGER NOT NULL,
    "from_block" BIGINT NOT NULL,
    "block_number" BIGINT NOT NULL,
    "missed_block" BIGINT,

    CONSTRAINT "settlement_holding_indexes_pkey" PRIMARY KEY ("chain_id")
);

-- CreateTable
CREATE TABLE "settlement_tokens" (
    "chain_id" INTEGER NOT NULL,
    "token" BYTEA NOT NULL,
    "first_block" BIGINT NOT NULL,

    CONSTRAINT "settlement_tokens_pkey" PRIMARY KEY ("chain_id","token")
);

-- CreateTable
CREATE TABLE "settlement_rights" (
    "chain_id" INTEGER NOT NULL,
    "contract" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "grantee" BYTEA NOT NULL,
    "subject" BYTEA NOT NULL,
    "block_number" BIGINT NOT NULL,
    "value" DECIMAL(78,0),
    "read_block" BIGINT,

    CONSTRAINT "settlement_rights_pkey" PRIMARY KEY ("chain_id","contract","kind","grantee","subject")
);

-- CreateIndex
CREATE INDEX "settlement_tokens_chain_id_first_block_idx" ON "settlement_tokens"("chain_id", "first_block");

-- CreateIndex
CREATE INDEX "settlement_rights_chain_id_read_block_idx" ON "settlement_rights"("chain_id", "read_block");
