-- Orders that users place on chain, and what contracts give back to them.
ALTER TABLE "orders" ADD COLUMN "onchain_user" BYTEA, ADD COLUMN "placement_error" TEXT;

-- The orders of a user, who does not own them.
CREATE INDEX "orders_onchain_user_idx" ON "orders"("chain_id", "onchain_user", "created_at", "id") WHERE onchain_user IS NOT NULL;

CREATE TABLE "placements" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_uid" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,

    CONSTRAINT "placements_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);
CREATE INDEX "placements_order_uid_idx" ON "placements"("order_uid");

CREATE TABLE "refunds" (
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_uid" BYTEA NOT NULL,
    "tx_hash" BYTEA NOT NULL,

    CONSTRAINT "refunds_pkey" PRIMARY KEY ("chain_id","block_number","log_index")
);
CREATE INDEX "refunds_order_uid_idx" ON "refunds"("order_uid");

-- Events go to the user of an order that a contract owns.
CREATE OR REPLACE FUNCTION place_order_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_feed (place, order_id, owner, event_id)
  SELECT next_feed_place(), o.id, coalesce(o.onchain_user, o.owner), NEW.id FROM orders o WHERE o.id = NEW.order_id;
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION place_removed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_feed (place, order_id, owner, event_id, removed)
  SELECT next_feed_place(), o.id, coalesce(o.onchain_user, o.owner), OLD.id, to_jsonb(OLD) FROM orders o
  WHERE o.id = OLD.order_id
    AND OLD.block_number > coalesce((SELECT c.block_number FROM checkpoints c WHERE c.chain_id = o.chain_id), -1);
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
