-- What is there already counts as read. The default is a constant for these rows, so that none is written.
ALTER TABLE "notifications" ADD COLUMN "read_at" TIMESTAMPTZ(6) DEFAULT now();
ALTER TABLE "notifications" ALTER COLUMN "read_at" DROP DEFAULT;
CREATE INDEX "notifications_unread_idx" ON "notifications"("account", "timestamp", "id") WHERE read_at IS NULL;
