-- The transaction that last wrote an order's row: auctions follow orders by it, as readers follow the feed.
ALTER TABLE "orders" ADD COLUMN "changed_tx" BIGINT NOT NULL DEFAULT 0;
CREATE INDEX "orders_chain_id_changed_tx_idx" ON "orders"("chain_id", "changed_tx");
CREATE FUNCTION mark_order_changed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.changed_tx := pg_current_xact_id()::text::bigint;
  RETURN NEW;
END $$;
CREATE TRIGGER orders_changed BEFORE INSERT OR UPDATE ON "orders" FOR EACH ROW EXECUTE FUNCTION mark_order_changed();

-- Where each live order stands. Rows are updated often and in place.
CREATE TABLE "order_standings" (
    "order_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "reason" TEXT,
    "since" TIMESTAMPTZ(6) NOT NULL,
    "updated_at" TIMESTAMPTZ(6) NOT NULL,
    "market_gap" BIGINT,
    "fee_share" BIGINT,
    "missing" DECIMAL(78,0),
    "funds_taken_by" BIGINT,

    CONSTRAINT "order_standings_pkey" PRIMARY KEY ("order_id")
) WITH (fillfactor = 80);
