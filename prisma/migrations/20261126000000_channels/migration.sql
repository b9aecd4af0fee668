-- Proof of an account: nonces to be signed, and the sessions that signatures opened.
CREATE TABLE "sign_in_nonces" (
    "nonce" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sign_in_nonces_pkey" PRIMARY KEY ("nonce")
);
CREATE INDEX "sign_in_nonces_expires_at_idx" ON "sign_in_nonces"("expires_at");

CREATE TABLE "sessions" (
    "token_hash" BYTEA NOT NULL,
    "account" BYTEA NOT NULL,
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "expires_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "sessions_pkey" PRIMARY KEY ("token_hash")
);
CREATE INDEX "sessions_account_idx" ON "sessions"("account");
CREATE INDEX "sessions_expires_at_idx" ON "sessions"("expires_at");

-- Where an account wants its notifications.
CREATE TABLE "channels" (
    "id" UUID NOT NULL,
    "account" BYTEA NOT NULL,
    "kind" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "address" TEXT NOT NULL,
    "keys" JSONB NOT NULL DEFAULT '{}',
    "types" TEXT[] NOT NULL DEFAULT '{}',
    "chain_ids" INTEGER[] NOT NULL DEFAULT '{}',
    "least_improvement" DECIMAL(20,6),
    "confirmation_hash" BYTEA,
    "confirmation_expires_at" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL,
    "confirmed_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "end_reason" TEXT,
    "next_attempt_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "lease" UUID,
    "leased_until" TIMESTAMPTZ(6),

    CONSTRAINT "channels_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "channels_account_idx" ON "channels"("account", "created_at", "id");
CREATE UNIQUE INDEX "channels_address_idx" ON "channels"("account", "kind", "address") WHERE state <> 'ended';
CREATE UNIQUE INDEX "channels_confirmation_hash_idx" ON "channels"("confirmation_hash");
CREATE INDEX "channels_ended_at_idx" ON "channels"("ended_at") WHERE state = 'ended';
CREATE INDEX "channels_pending_idx" ON "channels"("confirmation_expires_at") WHERE state = 'pending';

-- The outbox: what has to be sent to a channel, in the order of `id`.
CREATE TABLE "deliveries" (
    "id" BIGSERIAL NOT NULL,
    "channel_id" UUID NOT NULL,
    "notification_id" BIGINT,
    "revision" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'waiting',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "attempted_at" TIMESTAMPTZ(6),
    "ended_at" TIMESTAMPTZ(6),
    "status" INTEGER,
    "fault" TEXT,

    CONSTRAINT "deliveries_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "deliveries_channel_id_id_idx" ON "deliveries"("channel_id", "id");
CREATE INDEX "deliveries_waiting_idx" ON "deliveries"("channel_id", "id") WHERE state = 'waiting';
CREATE INDEX "deliveries_notification_id_channel_id_revision_idx" ON "deliveries"("notification_id", "channel_id", "revision");
CREATE INDEX "deliveries_ended_at_idx" ON "deliveries"("ended_at") WHERE state <> 'waiting';

-- A notification and what has to be sent of it commit together.
CREATE FUNCTION deliver_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (channel_id, notification_id)
  SELECT c.id, NEW.id FROM channels c
  WHERE c.account = NEW.account AND c.state = 'active'
    AND (cardinality(c.types) = 0 OR NEW.type = ANY (c.types))
    AND (cardinality(c.chain_ids) = 0 OR NEW.chain_id = ANY (c.chain_ids))
    AND (c.least_improvement IS NULL OR NEW.type <> 'price_improvement'
      OR (NEW.metadata ->> 'improvementShare')::numeric >= c.least_improvement);
  IF FOUND THEN PERFORM pg_notify('tradegraph_deliveries', ''); END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_delivered AFTER INSERT ON "notifications"
  FOR EACH ROW EXECUTE FUNCTION deliver_notification();

-- A notification that is reverted for good, and one whose cause happens after all, is sent once more: unless it was not sent before, then
-- what waits is dropped. An attempt is counted before it is made, so that what was not attempted has reached nobody.
CREATE FUNCTION deliver_correction() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  last record;
BEGIN
  FOR last IN
    SELECT DISTINCT ON (d.channel_id) d.id, d.channel_id, d.revision FROM deliveries d JOIN channels c ON c.id = d.channel_id
    WHERE d.notification_id = NEW.id AND c.state = 'active'
    ORDER BY d.channel_id, d.revision DESC
  LOOP
    UPDATE deliveries SET state = 'dropped', ended_at = now() WHERE id = last.id AND state = 'waiting' AND attempts = 0;
    IF NOT FOUND THEN
      INSERT INTO deliveries (channel_id, notification_id, revision) VALUES (last.channel_id, NEW.id, last.revision + 1);
    END IF;
  END LOOP;
  PERFORM pg_notify('tradegraph_deliveries', '');
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_corrected AFTER UPDATE ON "notifications" FOR EACH ROW
  WHEN (OLD.metadata -> 'reverted' IS DISTINCT FROM NEW.metadata -> 'reverted') EXECUTE FUNCTION deliver_correction();
