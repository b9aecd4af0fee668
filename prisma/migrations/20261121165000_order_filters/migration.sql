-- AlterTable
ALTER TABLE "app_data" ADD COLUMN     "app_code" TEXT;

-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "app_code" TEXT;

-- What the service reads of the documents that are stored already. A document that PostgreSQL can't take apart names nothing.
CREATE FUNCTION pg_temp.app_code(document text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE root json;
BEGIN
  root := document;
  IF json_typeof(root) = 'object' AND json_typeof(root -> 'appCode') = 'string' AND length(root ->> 'appCode') <= 100 THEN
    RETURN root ->> 'appCode';
  END IF;
  RETURN NULL;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
UPDATE "app_data" SET "app_code" = pg_temp.app_code("document");
UPDATE "orders" o SET "app_code" = d."app_code" FROM "app_data" d WHERE d."hash" = o."app_data" AND d."app_code" IS NOT NULL;

-- DropIndex
DROP INDEX "orders_created_at_id_idx";

-- DropIndex
DROP INDEX "orders_owner_created_at_id_idx";

-- Every list is of one network, and its index begins with it: the planner then knows rows of all these indexes to be equally near,
-- and never walks everybody's orders for those of one who owns many.

-- CreateIndex
CREATE INDEX "orders_chain_id_owner_created_at_id_idx" ON "orders"("chain_id", "owner", "created_at", "id");

-- DropIndex
DROP INDEX "trades_owner_block_number_log_index_idx";

-- CreateIndex
CREATE INDEX "trades_chain_id_owner_block_number_log_index_idx" ON "trades"("chain_id", "owner", "block_number", "log_index");

-- CreateIndex
CREATE INDEX "orders_chain_id_sell_token_buy_token_created_at_id_idx" ON "orders"("chain_id", "sell_token", "buy_token", "created_at", "id");

-- Orders by status and kind, of an account and of all. The status is the one recorded by the last block: storage/order-status.ts says the same.
CREATE INDEX "orders_owner_status_idx" ON "orders"("chain_id", "owner", (CASE
    WHEN (CASE kind WHEN 'buy' THEN executed_buy > 0 AND executed_buy = buy_amount
      ELSE executed_sell > 0 AND executed_sell - executed_signed_fee = sell_amount END) THEN 'f'
    WHEN cancelled_at IS NOT NULL OR invalidated THEN 'c'
    WHEN expired_at_block IS NOT NULL THEN 'x'
    WHEN signing_scheme = 'presign' AND NOT presigned THEN 'p'
    ELSE 'o' END), "kind", "created_at", "id");
CREATE INDEX "orders_status_idx" ON "orders"("chain_id", (CASE
    WHEN (CASE kind WHEN 'buy' THEN executed_buy > 0 AND executed_buy = buy_amount
      ELSE executed_sell > 0 AND executed_sell - executed_signed_fee = sell_amount END) THEN 'f'
    WHEN cancelled_at IS NOT NULL OR invalidated THEN 'c'
    WHEN expired_at_block IS NOT NULL THEN 'x'
    WHEN signing_scheme = 'presign' AND NOT presigned THEN 'p'
    ELSE 'o' END), "kind", "created_at", "id");

-- Nearly all orders are of class limit: only the others are worth finding by it.
CREATE INDEX "orders_class_idx" ON "orders"("chain_id", "class", "created_at", "id") WHERE class <> 'limit';

CREATE INDEX "orders_app_code_idx" ON "orders"("chain_id", "app_code", "created_at", "id") WHERE app_code IS NOT NULL;

-- Orders that wait for a document with a name.
CREATE INDEX "orders_unnamed_idx" ON "orders"("app_data") WHERE app_code IS NULL;
