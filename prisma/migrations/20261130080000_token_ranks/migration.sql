-- Greater for better known tokens. The indexer writes it; until its first round all tokens are equal.
ALTER TABLE "tokens" ADD COLUMN "rank" INTEGER NOT NULL DEFAULT 0;
