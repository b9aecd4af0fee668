-- Rows of an auction that repeat those of the auction before are stored once: which orders it held, its prices, its fee policies.
-- Views with the names of the old tables give one row for each auction, as before.

CREATE TABLE "auction_spans" (
    "chain_id" INTEGER NOT NULL,
    "order_id" BIGINT NOT NULL,
    "first_auction" BIGINT NOT NULL,
    "last_auction" BIGINT,

    CONSTRAINT "auction_spans_pkey" PRIMARY KEY ("order_id","first_auction")
);
-- An auction number to the stored auctions of its network: islands without a gap are spans.
INSERT INTO "auction_spans" ("chain_id", "order_id", "first_auction", "last_auction")
SELECT "chain_id", "order_id", min("auction_id"), max("auction_id") FROM (
  SELECT a."chain_id", ao."order_id", ao."auction_id",
    a."place" - row_number() OVER (PARTITION BY ao."order_id" ORDER BY ao."auction_id") AS "island"
  FROM "auction_orders" ao JOIN (
    SELECT "id", "chain_id", row_number() OVER (PARTITION BY "chain_id" ORDER BY "id") AS "place" FROM "auctions"
  ) a ON a."id" = ao."auction_id"
) numbered GROUP BY "chain_id", "order_id", "island";
-- The orders of one auction: of the spans that contain its id.
CREATE INDEX "auction_spans_auctions_idx" ON "auction_spans" USING gist (int8range("first_auction", "last_auction", '[]'));
-- Spans that the newest auction of a network continues.
CREATE UNIQUE INDEX "auction_spans_open_idx" ON "auction_spans"("chain_id", "order_id") WHERE last_auction IS NULL;

CREATE TABLE "price_series" (
    "id" SERIAL NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "token" BYTEA NOT NULL,

    CONSTRAINT "price_series_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "price_series_chain_id_token_key" ON "price_series"("chain_id", "token");
INSERT INTO "price_series" ("chain_id", "token")
SELECT DISTINCT a."chain_id", p."token" FROM "auction_prices" p JOIN "auctions" a ON a."id" = p."auction_id";

CREATE TABLE "price_changes" (
    "series_id" INTEGER NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "price" DECIMAL(78,0),

    CONSTRAINT "price_changes_pkey" PRIMARY KEY ("series_id","auction_id")
);
INSERT INTO "price_changes" ("series_id", "auction_id", "price")
SELECT "series_id", "auction_id", "price" FROM (
  SELECT s."id" AS "series_id", a."id" AS "auction_id", p."price",
    lag(p."price") OVER (PARTITION BY s."id" ORDER BY a."id") AS "before"
  FROM "price_series" s JOIN "auctions" a ON a."chain_id" = s."chain_id"
    LEFT JOIN "auction_prices" p ON p."auction_id" = a."id" AND p."token" = s."token"
) changes WHERE "price" IS DISTINCT FROM "before";

CREATE TABLE "fee_policy_sets" (
    "id" SERIAL NOT NULL,
    "policies" JSONB NOT NULL,

    CONSTRAINT "fee_policy_sets_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "fee_policy_sets_policies_key" ON "fee_policy_sets"("policies");
ALTER TABLE "solution_executions" ADD COLUMN "policy_set_id" INTEGER;
CREATE TEMPORARY TABLE "old_policies" AS
SELECT "order_id", "auction_id", jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', "kind", 'factor', "factor", 'maxVolumeFactor', "max_volume_factor"))
  ORDER BY "position") AS "policies" FROM "fee_policies" GROUP BY 1, 2;
INSERT INTO "fee_policy_sets" ("policies") SELECT DISTINCT "policies" FROM "old_policies";
UPDATE "solution_executions" x SET "policy_set_id" = s."id"
FROM "old_policies" p JOIN "fee_policy_sets" s ON s."policies" = p."policies"
WHERE p."order_id" = x."order_id" AND p."auction_id" = x."auction_id";

DROP TABLE "old_policies", "auction_orders", "auction_prices", "fee_policies";

CREATE VIEW "auction_orders" AS
SELECT s."order_id", a."id" AS "auction_id"
FROM "auction_spans" s JOIN "auctions" a ON a."chain_id" = s."chain_id"
  AND int8range(s."first_auction", s."last_auction", '[]') @> a."id";

CREATE VIEW "auction_prices" AS
SELECT a."id" AS "auction_id", s."token", p."price"
FROM "auctions" a JOIN "price_series" s ON s."chain_id" = a."chain_id"
  CROSS JOIN LATERAL (SELECT c."price" FROM "price_changes" c WHERE c."series_id" = s."id" AND c."auction_id" <= a."id"
    ORDER BY c."auction_id" DESC LIMIT 1) p
WHERE p."price" IS NOT NULL;

CREATE VIEW "fee_policies" AS
SELECT x."order_id", x."auction_id", (e."position" - 1)::integer AS "position", e."policy"->>'kind' AS "kind",
  (e."policy"->>'factor')::integer AS "factor", (e."policy"->>'maxVolumeFactor')::integer AS "max_volume_factor"
FROM (SELECT DISTINCT "order_id", "auction_id", "policy_set_id" FROM "solution_executions" WHERE "policy_set_id" IS NOT NULL) x
  JOIN "fee_policy_sets" s ON s."id" = x."policy_set_id"
  CROSS JOIN LATERAL jsonb_array_elements(s."policies") WITH ORDINALITY AS e("policy", "position");
