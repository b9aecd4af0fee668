-- A trade that is written meanwhile would have neither an entry from here nor a trigger.
LOCK TABLE "trades", "executions" IN SHARE ROW EXCLUSIVE MODE;

-- The feed of trades: an entry when a trade is stored, when it or its execution changes, and when a reorg takes it back.
CREATE TABLE "trade_feed" (
    "place" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "block_number" BIGINT NOT NULL,
    "log_index" INTEGER NOT NULL,
    "order_id" BIGINT,
    "removed" JSONB,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "trade_feed_pkey" PRIMARY KEY ("place")
);
INSERT INTO "trade_feed" (place, chain_id, block_number, log_index, order_id)
SELECT nextval('feed_places'), t.chain_id, t.block_number, t.log_index, t.order_id
FROM (SELECT * FROM "trades" ORDER BY chain_id, block_number, log_index) t;
CREATE INDEX "trade_feed_chain_id_block_number_log_index_place_idx" ON "trade_feed"("chain_id", "block_number", "log_index", "place");
CREATE INDEX "trade_feed_order_id_place_idx" ON "trade_feed"("order_id", "place");

-- Several changes of a trade in one transaction are one entry.
CREATE FUNCTION place_trade_at(chain integer, block bigint, log integer) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM trade_feed f WHERE f.chain_id = chain AND f.block_number = block AND f.log_index = log
    AND f.removed IS NULL AND f.xmin = pg_current_xact_id()::xid AND NOT EXISTS (
      SELECT FROM trade_feed r WHERE r.chain_id = chain AND r.block_number = block AND r.log_index = log
        AND r.removed IS NOT NULL AND r.place > f.place)) THEN RETURN; END IF;
  INSERT INTO trade_feed (place, chain_id, block_number, log_index, order_id)
  SELECT next_feed_place(), t.chain_id, t.block_number, t.log_index, t.order_id FROM trades t
  WHERE t.chain_id = chain AND t.block_number = block AND t.log_index = log;
  PERFORM pg_notify('tradegraph_feed', '');
END $$;

CREATE FUNCTION place_trade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM place_trade_at(NEW.chain_id, NEW.block_number, NEW.log_index);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER trades_placed AFTER INSERT ON "trades"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_trade();
CREATE CONSTRAINT TRIGGER trades_changed AFTER UPDATE ON "trades"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION place_trade();

CREATE FUNCTION place_removed_trade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO trade_feed (place, chain_id, block_number, log_index, order_id, removed)
  VALUES (next_feed_place(), OLD.chain_id, OLD.block_number, OLD.log_index, OLD.order_id, to_jsonb(OLD));
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER trades_removed AFTER DELETE ON "trades"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_removed_trade();

-- The fees of a trade are read after it where its transaction is known later.
CREATE FUNCTION place_executed_trade() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM place_trade_at(t.chain_id, t.block_number, t.log_index) FROM trades t
  WHERE t.order_id = NEW.order_id AND t.block_number = NEW.block_number AND t.auction_id = NEW.auction_id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER executions_placed AFTER INSERT ON "executions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_executed_trade();
CREATE CONSTRAINT TRIGGER executions_changed AFTER UPDATE ON "executions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION place_executed_trade();

-- The number of the trade's log, so that the event of a trade leads to it.
ALTER TABLE "order_events" ADD COLUMN "log_index" INTEGER;
