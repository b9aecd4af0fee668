-- CreateTable
CREATE TABLE "idempotency_keys" (
    "key" BYTEA NOT NULL,
    "body_hash" BYTEA NOT NULL,
    "attempt" UUID NOT NULL,
    "attempted_at" TIMESTAMPTZ(6) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "status" INTEGER,
    "content_type" TEXT,
    "body" TEXT,

    CONSTRAINT "idempotency_keys_pkey" PRIMARY KEY ("key")
);

-- CreateIndex
CREATE INDEX "idempotency_keys_created_at_idx" ON "idempotency_keys"("created_at");
