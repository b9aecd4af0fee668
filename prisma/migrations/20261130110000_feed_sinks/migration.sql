-- Receivers of the feed of the book outside the service, with the place up to which each has acknowledged it.
CREATE TABLE "feed_sinks" (
    "id" UUID NOT NULL,
    "kind" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "filter" JSONB NOT NULL DEFAULT '{}',
    "url" TEXT,
    "secret" TEXT,
    "is_paused" BOOLEAN NOT NULL DEFAULT false,
    "cursor" BIGINT NOT NULL DEFAULT 0,
    "sent_at" TIMESTAMPTZ(6),
    "failures" INTEGER NOT NULL DEFAULT 0,
    "fault" TEXT,
    "gap_from" BIGINT,
    "gap_to" BIGINT,
    "gap_at" TIMESTAMPTZ(6),
    "lease" UUID,
    "leased_until" TIMESTAMPTZ(6),
    "created_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "feed_sinks_pkey" PRIMARY KEY ("id")
);
CREATE UNIQUE INDEX "feed_sinks_name_idx" ON "feed_sinks"("name");
