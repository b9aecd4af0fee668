-- Keys of partners, which have limits of their own, with what they have used.
CREATE TABLE "partner_keys" (
    "id" UUID NOT NULL,
    "name" TEXT NOT NULL,
    "prefix" TEXT NOT NULL,
    "key_hash" BYTEA NOT NULL,
    "previous_hash" BYTEA,
    "previous_until" TIMESTAMPTZ(6),
    "units_per_second" INTEGER,
    "streams" INTEGER,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "revoked_at" TIMESTAMPTZ(6),
    "last_used_at" TIMESTAMPTZ(6),
    "requests" BIGINT NOT NULL DEFAULT 0,
    "units" DOUBLE PRECISION NOT NULL DEFAULT 0,
    "events" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "partner_keys_pkey" PRIMARY KEY ("id")
);

CREATE UNIQUE INDEX "partner_keys_key_hash_key" ON "partner_keys"("key_hash");

CREATE UNIQUE INDEX "partner_keys_previous_hash_key" ON "partner_keys"("previous_hash");
