-- The time of the block that created it first: it stays known when a reorg takes the creation back. Null in older rows.
ALTER TABLE "programmatic_orders" ADD COLUMN "created_at" TIMESTAMPTZ(6);

-- The version before writes no time either.
CREATE FUNCTION date_programmatic_order() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  NEW.created_at := coalesce((SELECT c.block_time FROM programmatic_creations c
    WHERE c.chain_id = NEW.chain_id AND c.owner = NEW.owner AND c.hash = NEW.hash ORDER BY c.block_number, c.log_index LIMIT 1),
    NEW.created_at);
  RETURN NEW;
END $$;
CREATE TRIGGER programmatic_orders_dated BEFORE INSERT OR UPDATE OF "created_block" ON "programmatic_orders"
  FOR EACH ROW EXECUTE FUNCTION date_programmatic_order();

-- What is written meanwhile would have neither an entry from here nor a trigger.
LOCK TABLE "programmatic_orders", "programmatic_creations", "programmatic_parts", "sheds" IN SHARE ROW EXCLUSIVE MODE;

-- The feed of programmatic orders: an entry when one is created, changes, or is taken back by a reorg.
CREATE TABLE "programmatic_feed" (
    "place" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "owner" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,
    "removed" JSONB,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "programmatic_feed_pkey" PRIMARY KEY ("place")
);
INSERT INTO "programmatic_feed" (place, chain_id, owner, hash)
SELECT nextval('feed_places'), g.chain_id, g.owner, g.hash
FROM (SELECT * FROM "programmatic_orders" ORDER BY created_block, id) g;
CREATE INDEX "programmatic_feed_chain_id_owner_hash_place_idx" ON "programmatic_feed"("chain_id", "owner", "hash", "place");

-- Several changes in one transaction are one entry.
CREATE FUNCTION place_programmatic(chain integer, of_owner bytea, of_hash bytea) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM programmatic_orders g WHERE g.chain_id = chain AND g.owner = of_owner AND g.hash = of_hash)
    OR (SELECT f.xmin = pg_current_xact_id()::xid AND f.removed IS NULL FROM programmatic_feed f
      WHERE f.chain_id = chain AND f.owner = of_owner AND f.hash = of_hash ORDER BY f.place DESC LIMIT 1) THEN RETURN; END IF;
  INSERT INTO programmatic_feed (place, chain_id, owner, hash) VALUES (next_feed_place(), chain, of_owner, of_hash);
  PERFORM pg_notify('tradegraph_feed', '');
END $$;

-- Rows with the key of a programmatic order. A creation may be a further one.
CREATE FUNCTION place_programmatic_row() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM place_programmatic(changed.chain_id, changed.owner, changed.hash);
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER programmatic_orders_placed AFTER INSERT ON "programmatic_orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_programmatic_row();
-- A look or a poll that finds the same as before has no entry: neither readBlock nor the time of a poll counts.
CREATE CONSTRAINT TRIGGER programmatic_orders_changed AFTER UPDATE ON "programmatic_orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN ((OLD.created_block, OLD.context, OLD.removed_block, OLD.part_count, OLD.starts_at, OLD.ends_at, OLD.fault, OLD.poll_result,
      OLD.poll_reason, OLD.next_look IS NULL, OLD.looked_block IS NULL AND NEW.looked_block IS NOT NULL)
    IS DISTINCT FROM (NEW.created_block, NEW.context, NEW.removed_block, NEW.part_count, NEW.starts_at, NEW.ends_at, NEW.fault,
      NEW.poll_result, NEW.poll_reason, NEW.next_look IS NULL, false))
  EXECUTE FUNCTION place_programmatic_row();
CREATE CONSTRAINT TRIGGER programmatic_creations_placed AFTER INSERT OR DELETE ON "programmatic_creations"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_programmatic_row();
CREATE CONSTRAINT TRIGGER programmatic_parts_placed AFTER INSERT OR DELETE ON "programmatic_parts"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_programmatic_row();

-- A programmatic order that a reorg takes back, as it was.
CREATE FUNCTION place_removed_programmatic() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO programmatic_feed (place, chain_id, owner, hash, removed)
  VALUES (next_feed_place(), OLD.chain_id, OLD.owner, OLD.hash, to_jsonb(OLD) || jsonb_build_object('created_at', coalesce(OLD.created_at, now())));
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER programmatic_orders_removed AFTER DELETE ON "programmatic_orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_removed_programmatic();

-- An order that is traded, cancelled, invalidated or expired, or no longer after a reorg. Only contracts sign parts.
CREATE FUNCTION place_order_of_programmatic() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  PERFORM place_programmatic(p.chain_id, p.owner, p.hash) FROM programmatic_parts p WHERE p.order_id = NEW.id;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER orders_of_programmatic_changed AFTER UPDATE ON "orders"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.signing_scheme = 'eip1271' AND (OLD.executed_sell, OLD.executed_buy, OLD.executed_fee, OLD.cancelled_at, OLD.invalidated,
      OLD.expired_at_block)
    IS DISTINCT FROM (NEW.executed_sell, NEW.executed_buy, NEW.executed_fee, NEW.cancelled_at, NEW.invalidated, NEW.expired_at_block))
  EXECUTE FUNCTION place_order_of_programmatic();

-- A trade or an invalidation of a part that the book lacks: the TWAPs of its owner in whose time its UID ends.
CREATE FUNCTION place_unknown_part() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
  valid_to bigint := ('x' || lpad(encode(substring(changed.order_uid FROM 53 FOR 4), 'hex'), 16, '0'))::bit(64)::bigint;
BEGIN
  IF length(changed.order_uid) <> 56 OR EXISTS (SELECT FROM orders o WHERE o.uid = changed.order_uid) THEN RETURN NULL; END IF;
  PERFORM place_programmatic(g.chain_id, g.owner, g.hash) FROM programmatic_orders g
  WHERE g.chain_id = changed.chain_id AND g.owner = substring(changed.order_uid FROM 33 FOR 20)
    AND valid_to BETWEEN g.starts_at AND g.ends_at AND g.type = 'TWAP';
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER trades_of_unknown_inserted AFTER INSERT ON "trades"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (NEW.order_id IS NULL) EXECUTE FUNCTION place_unknown_part();
CREATE CONSTRAINT TRIGGER trades_of_unknown_deleted AFTER DELETE ON "trades"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW WHEN (OLD.order_id IS NULL) EXECUTE FUNCTION place_unknown_part();
CREATE CONSTRAINT TRIGGER invalidations_of_unknown AFTER INSERT OR DELETE ON "invalidations"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_unknown_part();

-- The user of a proxy is the resolved owner of its orders.
CREATE FUNCTION place_programmatic_of_shed() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  changed record := CASE WHEN TG_OP = 'DELETE' THEN OLD ELSE NEW END;
BEGIN
  PERFORM place_programmatic(g.chain_id, g.owner, g.hash) FROM programmatic_orders g
  WHERE g.chain_id = changed.chain_id AND g.owner = changed.shed;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER sheds_placed AFTER INSERT OR DELETE ON "sheds"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_programmatic_of_shed();
