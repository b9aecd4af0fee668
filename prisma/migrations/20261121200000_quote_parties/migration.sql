-- DropIndex
DROP INDEX "quotes_chain_id_sell_token_buy_token_kind_expiration_idx";

-- AlterTable
ALTER TABLE "quotes" ADD COLUMN     "app_data" BYTEA,
ADD COLUMN     "from_account" BYTEA,
ADD COLUMN     "receiver" BYTEA;

-- CreateIndex
CREATE INDEX "quotes_of_account_idx" ON "quotes"("chain_id", "from_account", "sell_token", "buy_token", "kind", "expiration");
