-- AlterTable
ALTER TABLE "app_data" ADD COLUMN     "referrer_code" TEXT;

-- AlterTable
ALTER TABLE "orders" ADD COLUMN     "referrer_code" TEXT;

-- What the service reads of the documents that are stored already. A document that PostgreSQL can't take apart names nobody.
CREATE FUNCTION pg_temp.referrer_code(document text) RETURNS text LANGUAGE plpgsql AS $$
DECLARE referrer json;
BEGIN
  referrer := document::json -> 'metadata' -> 'referrer';
  IF json_typeof(referrer -> 'code') = 'string' AND referrer ->> 'code' ~ '^[A-Za-z0-9_-]{5,20}$' THEN
    RETURN upper(referrer ->> 'code');
  END IF;
  RETURN NULL;
EXCEPTION WHEN data_exception THEN
  RETURN NULL;
END $$;
UPDATE "app_data" d SET "referrer_code" = f.code
FROM (SELECT "hash", pg_temp.referrer_code("document") AS code FROM "app_data") f
WHERE f."hash" = d."hash" AND f.code IS NOT NULL;
UPDATE "orders" o SET "referrer_code" = d."referrer_code" FROM "app_data" d
WHERE d."hash" = o."app_data" AND d."referrer_code" IS NOT NULL;

-- Whom a code brought, and what of an account's counts for whoever brought it. Most orders have no code.
CREATE INDEX "orders_referrer_code_idx" ON "orders"("referrer_code", "owner") WHERE referrer_code IS NOT NULL;
CREATE INDEX "orders_referred_idx" ON "orders"("owner", "id") WHERE referrer_code IS NOT NULL;

-- CreateTable
CREATE TABLE "affiliate_switches" (
    "code" TEXT NOT NULL,
    "at" TIMESTAMPTZ(6) NOT NULL,
    "enabled" BOOLEAN NOT NULL,

    CONSTRAINT "affiliate_switches_pkey" PRIMARY KEY ("code","at")
);

-- Whether a code was enabled when a trader used it has to be known for ever, whoever switches it.
CREATE FUNCTION "note_switch"() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN INSERT INTO affiliate_switches (code, at, enabled) VALUES (NEW.code, clock_timestamp(), NEW.enabled); RETURN NULL; END $$;

CREATE TRIGGER "affiliates_switched" AFTER UPDATE OF "enabled" ON "affiliates" FOR EACH ROW
    WHEN (OLD."enabled" <> NEW."enabled") EXECUTE FUNCTION "note_switch"();
