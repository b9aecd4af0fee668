-- Tokens of a network, the best known first.
CREATE INDEX CONCURRENTLY "tokens_chain_id_rank_address_idx" ON "tokens"("chain_id", "rank", "address");
