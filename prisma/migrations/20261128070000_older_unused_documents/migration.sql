-- Documents that were stored before they had an end, and that no order names, end too. Orders that are placed meanwhile keep theirs:
-- the trigger of orders does not see an end that is not committed, so orders of that time are read again under a lock.
DO $$
DECLARE
  known BIGINT := (SELECT coalesce(max("id"), 0) FROM "orders") - 100000;
BEGIN
  UPDATE "app_data" SET "expires_at" = now() + interval '90 days'
    WHERE "expires_at" IS NULL AND "hash" NOT IN (SELECT "app_data" FROM "orders");
  LOCK TABLE "orders" IN SHARE MODE;
  UPDATE "app_data" SET "expires_at" = NULL
    WHERE "expires_at" IS NOT NULL AND "client" IS NULL
      AND "hash" IN (SELECT "app_data" FROM "orders" WHERE "id" > known);
END $$;
