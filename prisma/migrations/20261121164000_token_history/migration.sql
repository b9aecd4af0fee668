-- A token's first trade, whichever side it was on.
CREATE INDEX "trades_chain_id_sell_token_block_number_idx" ON "trades"("chain_id", "sell_token", "block_number");
CREATE INDEX "trades_chain_id_buy_token_block_number_idx" ON "trades"("chain_id", "buy_token", "block_number");

-- A token's newest auction price.
CREATE INDEX "auction_prices_token_auction_id_idx" ON "auction_prices"("token", "auction_id");
