-- CreateTable
CREATE TABLE "affiliates" (
    "wallet" BYTEA NOT NULL,
    "code" TEXT NOT NULL,
    "digest" BYTEA NOT NULL,
    "signed_message" BYTEA NOT NULL,
    "enabled" BOOLEAN NOT NULL DEFAULT true,
    "reward_amount" DECIMAL(38,18) NOT NULL,
    "trigger_volume" DECIMAL(38,18) NOT NULL,
    "time_cap_days" INTEGER NOT NULL,
    "volume_cap" DECIMAL(38,18) NOT NULL,
    "revenue_split_affiliate_pct" DECIMAL(5,2) NOT NULL,
    "revenue_split_trader_pct" DECIMAL(5,2) NOT NULL,
    "revenue_split_dao_pct" DECIMAL(5,2) NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "affiliates_pkey" PRIMARY KEY ("wallet"),
    CONSTRAINT "affiliates_who" CHECK (
        length("wallet") = 20 AND length("digest") = 32 AND "code" ~ '^[A-Z0-9_-]{5,20}$'
    ),
    CONSTRAINT "affiliates_programme" CHECK (
        "reward_amount" > 0 AND "trigger_volume" > 0 AND "time_cap_days" > 0 AND "volume_cap" >= 0
        AND "revenue_split_affiliate_pct" >= 0 AND "revenue_split_trader_pct" >= 0 AND "revenue_split_dao_pct" >= 0
        AND "revenue_split_affiliate_pct" + "revenue_split_trader_pct" + "revenue_split_dao_pct" = 100
    )
);

-- CreateIndex
CREATE UNIQUE INDEX "affiliates_code_key" ON "affiliates"("code");

-- CreateIndex
CREATE UNIQUE INDEX "affiliates_digest_key" ON "affiliates"("digest");

-- What an affiliate signed, and what was promised for it, stays: only "enabled" is ever set anew.
CREATE FUNCTION "keep_affiliate"() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'of an affiliate only "enabled" can be changed'; END $$;

CREATE TRIGGER "affiliates_stay" BEFORE UPDATE OF "wallet", "code", "digest", "signed_message", "reward_amount",
    "trigger_volume", "time_cap_days", "volume_cap", "revenue_split_affiliate_pct", "revenue_split_trader_pct",
    "revenue_split_dao_pct", "created_at" ON "affiliates" EXECUTE FUNCTION "keep_affiliate"();
