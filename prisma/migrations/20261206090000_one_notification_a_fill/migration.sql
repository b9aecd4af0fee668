-- Of the notification of a fill: the cause of the price improvement of the same trade, whose message says the fill too.
ALTER TABLE "notifications" ADD COLUMN "improved_by" TEXT;

-- Whether the account of a channel asked for a notification there.
CREATE FUNCTION channel_takes(c channels, n notifications) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT c.account = n.account
    AND (cardinality(c.types) = 0 OR n.type = ANY (c.types))
    AND (cardinality(c.chain_ids) = 0 OR n.chain_id = ANY (c.chain_ids))
    AND (c.least_improvement IS NULL OR n.type <> 'price_improvement'
      OR (n.metadata ->> 'improvementShare')::numeric >= c.least_improvement)
$$;

-- A channel that takes the price improvement of a trade gets that alone.
CREATE OR REPLACE FUNCTION deliver_notification() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (channel_id, kind, notification_id)
  SELECT c.id, c.kind, NEW.id FROM channels c
  WHERE c.account = NEW.account AND c.state = 'active' AND channel_takes(c, NEW)
    AND NOT EXISTS (SELECT FROM notifications i WHERE i.cause = NEW.improved_by AND channel_takes(c, i))
    AND NOT EXISTS (SELECT FROM deliveries d WHERE d.notification_id = NEW.id AND d.channel_id = c.id);
  RETURN NULL;
END $$;

-- After a reorg the fill may be that of another trade, which is no better: channels that were told of the first one alone get it now.
CREATE TRIGGER notifications_improved AFTER UPDATE ON "notifications" FOR EACH ROW
  WHEN (OLD.improved_by IS DISTINCT FROM NEW.improved_by) EXECUTE FUNCTION deliver_notification();

-- After a reorg the same trade may complete its order, or no longer: a channel that was told otherwise gets its price improvement again.
CREATE FUNCTION deliver_completion() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO deliveries (channel_id, kind, notification_id, revision)
  SELECT l.channel_id, l.kind, NEW.id, l.revision + 1
  FROM (SELECT DISTINCT ON (d.channel_id) d.* FROM deliveries d WHERE d.notification_id = NEW.id ORDER BY d.channel_id, d.revision DESC) l
  JOIN channels c ON c.id = l.channel_id
  WHERE c.state = 'active' AND (l.state <> 'waiting' OR l.attempts > 0);
  RETURN NULL;
END $$;
CREATE TRIGGER notifications_completed AFTER UPDATE ON "notifications" FOR EACH ROW
  WHEN (OLD.metadata -> 'isFilled' <> NEW.metadata -> 'isFilled'
    AND OLD.metadata -> 'reverted' IS NOT DISTINCT FROM NEW.metadata -> 'reverted')
  EXECUTE FUNCTION deliver_completion();
