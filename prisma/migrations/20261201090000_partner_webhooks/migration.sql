-- Webhooks of partners; those without one are the operator's.
ALTER TABLE "feed_sinks" ADD COLUMN "partner" UUID;
