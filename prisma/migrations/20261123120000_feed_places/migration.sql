-- Entries of all feeds get their places from one sequence when their transaction commits, under a lock that lasts until the commit is
-- visible: so places are in the order in which entries appear. 0 is before all that is stored ("earliest"), and 1 is the head of a
-- database without entries. Without a cache: a session must not keep a place for later.
CREATE SEQUENCE "feed_places" START WITH 2 CACHE 1;

-- What was removed and what is left of the notifications' feed, numbered together.
CREATE TABLE "numbered_entries" AS
SELECT nextval('feed_places') AS place, e.* FROM (
  SELECT tx, id, account, notification_id, written_at FROM "feed_entries"
  UNION ALL SELECT tx, id, account, NULL, NULL FROM "feed_marks" ORDER BY tx, id) e;

DROP TABLE "feed_entries";
CREATE TABLE "feed_entries" (
    "place" BIGINT NOT NULL,
    "account" BYTEA NOT NULL,
    "notification_id" BIGINT NOT NULL,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feed_entries_pkey" PRIMARY KEY ("place")
);
INSERT INTO "feed_entries" (place, account, notification_id, written_at)
SELECT place, account, notification_id, written_at FROM "numbered_entries" WHERE notification_id IS NOT NULL;
CREATE INDEX "feed_entries_account_place_idx" ON "feed_entries"("account", "place");

DROP TABLE "feed_marks";
CREATE TABLE "feed_marks" (
    "feed" TEXT NOT NULL,
    "key" BYTEA NOT NULL,
    "place" BIGINT NOT NULL,

    CONSTRAINT "feed_marks_pkey" PRIMARY KEY ("feed", "key")
);
INSERT INTO "feed_marks" (feed, key, place)
SELECT 'account', account, place FROM "numbered_entries" WHERE notification_id IS NULL;
CREATE INDEX "feed_marks_place_idx" ON "feed_marks"("place");
DROP TABLE "numbered_entries";

CREATE TABLE "order_feed" (
    "place" BIGINT NOT NULL,
    "order_id" BIGINT NOT NULL,
    "owner" BYTEA NOT NULL,
    "event_id" BIGINT NOT NULL,
    "removed" JSONB,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "order_feed_pkey" PRIMARY KEY ("place")
);
INSERT INTO "order_feed" (place, order_id, owner, event_id)
SELECT nextval('feed_places'), e.order_id, e.owner, e.id
FROM (SELECT ev.id, ev.order_id, o.owner FROM "order_events" ev JOIN "orders" o ON o.id = ev.order_id ORDER BY ev.timestamp, ev.id) e;
CREATE INDEX "order_feed_order_id_place_idx" ON "order_feed"("order_id", "place");
CREATE INDEX "order_feed_owner_place_idx" ON "order_feed"("owner", "place");
CREATE INDEX "order_feed_event_id_idx" ON "order_feed"("event_id");

CREATE TABLE "auction_feed" (
    "place" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "solution_uid" INTEGER,
    "hides" BOOLEAN,
    "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "auction_feed_pkey" PRIMARY KEY ("place")
);
CREATE INDEX "auctions_chain_id_deadline_block_idx" ON "auctions"("chain_id", "deadline_block");
INSERT INTO "auction_feed" (place, chain_id, auction_id, solution_uid, hides)
SELECT nextval('feed_places'), e.chain_id, e.id, e.solution_uid, e.hides
FROM (
  SELECT a.chain_id, a.id, s.solution_uid, CASE WHEN c.block_number > a.deadline_block THEN NULL ELSE false END AS hides
  FROM "auctions" a LEFT JOIN "checkpoints" c ON c.chain_id = a.chain_id
    CROSS JOIN LATERAL (SELECT NULL::integer AS solution_uid
      UNION ALL SELECT t.solution_uid FROM "settlement_attempts" t WHERE t.auction_id = a.id AND t.outcome IS NOT NULL) s
  ORDER BY a.id, s.solution_uid NULLS FIRST) e;
CREATE INDEX "auction_feed_chain_id_place_idx" ON "auction_feed"("chain_id", "place");
CREATE INDEX "auction_feed_auction_id_idx" ON "auction_feed"("auction_id");

-- The lock is the last that a transaction waits for, so it is part of no deadlock. It is tried for a while before it is queued for: a
-- session that gets it from the queue has to wake up first, and all others wait for that.
CREATE FUNCTION lock_feeds() RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  FOR attempt IN 1..20 LOOP
    IF pg_try_advisory_xact_lock(7146032915) THEN RETURN; END IF;
    PERFORM pg_sleep(0.004 * random());
  END LOOP;
  PERFORM pg_advisory_xact_lock(7146032915);
END $$;

CREATE FUNCTION next_feed_place() RETURNS bigint LANGUAGE plpgsql AS $$
BEGIN
  PERFORM lock_feeds();
  RETURN nextval('feed_places');
END $$;

CREATE FUNCTION place_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO feed_entries (place, account, notification_id) VALUES (next_feed_place(), NEW.account, NEW.id);
  PERFORM pg_notify('tradegraph_feed', '0x' || encode(NEW.account, 'hex'));
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER notifications_placed AFTER INSERT ON "notifications"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_notification();
-- A notification that is reverted for good, and one whose cause happens after all.
CREATE CONSTRAINT TRIGGER notifications_reverted AFTER UPDATE ON "notifications"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.metadata -> 'reverted' IS DISTINCT FROM NEW.metadata -> 'reverted') EXECUTE FUNCTION place_notification();

CREATE FUNCTION place_order_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_feed (place, order_id, owner, event_id)
  SELECT next_feed_place(), o.id, o.owner, NEW.id FROM orders o WHERE o.id = NEW.order_id;
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER order_events_placed AFTER INSERT ON "order_events"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_order_event();

-- An event that a reorg takes back: its block is above the indexed ones by then. The removal of old events is none of that.
CREATE FUNCTION place_removed_event() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO order_feed (place, order_id, owner, event_id, removed)
  SELECT next_feed_place(), o.id, o.owner, OLD.id, to_jsonb(OLD) FROM orders o
  WHERE o.id = OLD.order_id
    AND OLD.block_number > coalesce((SELECT c.block_number FROM checkpoints c WHERE c.chain_id = o.chain_id), -1);
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER order_events_removed AFTER DELETE ON "order_events"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.block_number IS NOT NULL) EXECUTE FUNCTION place_removed_event();

-- A competition. What is stored before the indexer has passed the deadline has a second entry later: see place_shown_auctions.
-- Read after the lock, so that either this transaction sees the checkpoint, or that of the checkpoint sees the auction.
CREATE FUNCTION place_auction() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place bigint := next_feed_place();
BEGIN
  INSERT INTO auction_feed (place, chain_id, auction_id, hides)
  VALUES (place, NEW.chain_id, NEW.id, CASE WHEN NOT EXISTS (
    SELECT FROM checkpoints c WHERE c.chain_id = NEW.chain_id AND c.block_number > NEW.deadline_block) THEN false END);
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER auctions_placed AFTER INSERT ON "auctions"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_auction();

-- A settlement that ended, or that runs again after a reorg. One that ends in the transaction that passes the deadline is among those
-- that place_shown_auctions has written.
CREATE FUNCTION place_settlement() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  place bigint := next_feed_place();
BEGIN
  INSERT INTO auction_feed (place, chain_id, auction_id, solution_uid, hides)
  SELECT place, a.chain_id, a.id, NEW.solution_uid, CASE WHEN NOT EXISTS (
      SELECT FROM checkpoints c WHERE c.chain_id = a.chain_id AND c.block_number > a.deadline_block)
    OR EXISTS (SELECT FROM auction_feed f WHERE f.auction_id = a.id AND f.solution_uid = NEW.solution_uid AND f.hides
      AND f.xmin = pg_current_xact_id()::xid) THEN false END
  FROM auctions a WHERE a.id = NEW.auction_id;
  PERFORM pg_notify('tradegraph_feed', '');
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER settlement_attempts_ended AFTER UPDATE ON "settlement_attempts"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (OLD.outcome IS DISTINCT FROM NEW.outcome) EXECUTE FUNCTION place_settlement();

-- Where competitions are hidden until their deadline, they and what became of them appear when the indexer passes it.
CREATE FUNCTION place_shown_auctions() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  passed bigint := CASE WHEN TG_OP = 'UPDATE' THEN OLD.block_number ELSE -1 END;
BEGIN
  PERFORM lock_feeds();
  INSERT INTO auction_feed (place, chain_id, auction_id, solution_uid, hides)
  SELECT nextval('feed_places'), NEW.chain_id, e.id, e.solution_uid, true
  FROM (
    SELECT a.id, s.solution_uid FROM auctions a
      CROSS JOIN LATERAL (SELECT NULL::integer AS solution_uid
        UNION ALL SELECT t.solution_uid FROM settlement_attempts t WHERE t.auction_id = a.id AND t.outcome IS NOT NULL) s
    WHERE a.chain_id = NEW.chain_id AND a.deadline_block >= passed AND a.deadline_block < NEW.block_number
      AND (TG_OP = 'UPDATE' OR NOT EXISTS (
        SELECT FROM auction_feed f WHERE f.auction_id = a.id AND f.solution_uid IS NULL AND f.hides IS DISTINCT FROM false))
    ORDER BY a.id, s.solution_uid NULLS FIRST) e;
  IF FOUND THEN PERFORM pg_notify('tradegraph_feed', ''); END IF;
  RETURN NULL;
END $$;
CREATE CONSTRAINT TRIGGER checkpoints_begun AFTER INSERT ON "checkpoints"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION place_shown_auctions();
CREATE CONSTRAINT TRIGGER checkpoints_passed AFTER UPDATE ON "checkpoints"
  DEFERRABLE INITIALLY DEFERRED FOR EACH ROW
  WHEN (NEW.block_number > OLD.block_number) EXECUTE FUNCTION place_shown_auctions();
