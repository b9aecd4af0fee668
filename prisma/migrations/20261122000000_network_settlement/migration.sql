-- Orders are signed for one settlement contract: a database belongs to it as it does to a genesis.
ALTER TABLE "networks" ADD COLUMN "settlement" BYTEA;
