-- Prices of the tokens of live orders, every five minutes, whether or not an auction was stored.
CREATE TABLE "market_prices" (
    "series_id" INTEGER NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "price" DECIMAL(78,0) NOT NULL,

    CONSTRAINT "market_prices_pkey" PRIMARY KEY ("series_id","at")
);
-- For the removal of old ones.
CREATE INDEX "market_prices_at_idx" ON "market_prices"("at");
