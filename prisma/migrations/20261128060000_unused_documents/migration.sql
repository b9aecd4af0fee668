-- Documents that no order names end, and count for the client that uploaded them.
ALTER TABLE "app_data" ADD COLUMN     "client" BYTEA,
ADD COLUMN     "expires_at" TIMESTAMPTZ(6);

-- An order that names a document keeps it, whichever version of the program places the order. In the order of their hashes, so that two
-- transactions with the same documents cannot deadlock.
CREATE FUNCTION keep_documents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM FROM "app_data" WHERE "hash" IN (SELECT "app_data" FROM inserted) AND "expires_at" IS NOT NULL ORDER BY "hash" FOR UPDATE;
  IF FOUND THEN
    UPDATE "app_data" SET "client" = NULL, "expires_at" = NULL
      WHERE "hash" IN (SELECT "app_data" FROM inserted) AND "expires_at" IS NOT NULL;
  END IF;
  RETURN NULL;
END $$;

CREATE TRIGGER "orders_keep_documents" AFTER INSERT ON "orders" REFERENCING NEW TABLE AS inserted
  FOR EACH STATEMENT EXECUTE FUNCTION keep_documents();
