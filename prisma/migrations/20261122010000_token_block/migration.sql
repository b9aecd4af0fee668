-- Another token can be created at an address whose first one a reorg took away.
ALTER TABLE "tokens" ADD COLUMN "block" BIGINT;
