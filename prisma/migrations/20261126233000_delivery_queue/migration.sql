-- Channels that have something to be sent are found by an index: what it costs to find them does not depend on how many wait.
ALTER TABLE "channels" DROP COLUMN "leased_until",
  ALTER COLUMN "next_attempt_at" DROP DEFAULT,
  ALTER COLUMN "next_attempt_at" DROP NOT NULL,
  ADD COLUMN "woken" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "slow_turns" SMALLINT NOT NULL DEFAULT 0;
UPDATE "channels" SET "lease" = NULL, "next_attempt_at" = CASE WHEN "state" = 'active' THEN now() END;
CREATE INDEX "channels_due_idx" ON "channels"("kind", ("slow_turns" > 0), "next_attempt_at") WHERE "next_attempt_at" IS NOT NULL;

-- What the metrics of a kind are read by, and since when its receiver has failed.
ALTER TABLE "deliveries" ADD COLUMN "kind" TEXT,
  ADD COLUMN "waiting_since" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;
UPDATE "deliveries" d SET "kind" = c."kind", "waiting_since" = d."created_at" FROM "channels" c WHERE c."id" = d."channel_id";
DELETE FROM "deliveries" WHERE "kind" IS NULL;
ALTER TABLE "deliveries" ALTER COLUMN "kind" SET NOT NULL;
CREATE INDEX "deliveries_waiting_since_idx" ON "deliveries"("kind", "waiting_since") WHERE "state" = 'waiting';

-- Channels to look at. Whoever notifies locks no row of a channel, and waits for nobody; who sends carries these over to channels.
CREATE TABLE "channel_wakes" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" UUID NOT NULL,

    CONSTRAINT "channel_wakes_pkey" PRIMARY KEY ("id")
);

CREATE FUNCTION wake_channels() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO channel_wakes (channel_id) SELECT DISTINCT channel_id FROM written;
  IF FOUND THEN PERFORM pg_notify('tradegraph_deliveries', ''); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER deliveries_wake AFTER INSERT ON "deliveries" REFERENCING NEW TABLE AS written
  FOR EACH STATEMENT EXECUTE FUNCTION wake_channels();

CREATE OR REPLACE FUNCTION deliver_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (channel_id, kind, notification_id)
  SELECT c.id, c.kind, NEW.id FROM channels c
  WHERE c.account = NEW.account AND c.state = 'active'
    AND (cardinality(c.types) = 0 OR NEW.type = ANY (c.types))
    AND (cardinality(c.chain_ids) = 0 OR NEW.chain_id = ANY (c.chain_ids))
    AND (c.least_improvement IS NULL OR NEW.type <> 'price_improvement'
      OR (NEW.metadata ->> 'improvementShare')::numeric >= c.least_improvement);
  RETURN NULL;
END $$;

CREATE OR REPLACE FUNCTION deliver_correction() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  FOR last IN
    SELECT DISTINCT ON (d.channel_id) d.id, d.channel_id, d.kind, d.revision FROM deliveries d JOIN channels c ON c.id = d.channel_id
    WHERE d.notification_id = NEW.id AND c.state = 'active'
    ORDER BY d.channel_id, d.revision DESC
  LOOP
    UPDATE deliveries SET state = 'dropped', ended_at = now() WHERE id = last.id AND state = 'waiting' AND attempts = 0;
    IF NOT FOUND THEN
      INSERT INTO deliveries (channel_id, kind, notification_id, revision) VALUES (last.channel_id, last.kind, NEW.id, last.revision + 1);
    END IF;
  END LOOP;
  RETURN NULL;
END $$;
