-- Whether the owner of a live order was notified that funds are missing, and when the last time.
ALTER TABLE "order_standings"
  ADD COLUMN "is_short" BOOLEAN NOT NULL DEFAULT false,
  ADD COLUMN "short_at" TIMESTAMPTZ(6);
