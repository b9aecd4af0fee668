-- CreateTable
CREATE TABLE "balance_sessions" (
    "chain_id" INTEGER NOT NULL,
    "owner" BYTEA NOT NULL,
    "client_id" UUID NOT NULL,
    "client" BYTEA NOT NULL,
    "tokens" BYTEA[],
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "balance_sessions_pkey" PRIMARY KEY ("chain_id","owner","client_id")
);

-- CreateIndex
CREATE INDEX "balance_sessions_client_idx" ON "balance_sessions"("client");
