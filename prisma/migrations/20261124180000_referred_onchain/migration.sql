-- Trades with a referrer code of orders placed on chain, by their user.
CREATE INDEX "orders_referred_onchain_idx" ON "orders"("onchain_user", "id")
  WHERE onchain_user IS NOT NULL AND referrer_code IS NOT NULL;
