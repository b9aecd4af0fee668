-- Orders that are here because clients named them, in the order in which they expire.
CREATE INDEX CONCURRENTLY "mirrored_orders_requested_idx" ON "mirrored_orders"("requested_at")
  WHERE "requested_at" IS NOT NULL;
