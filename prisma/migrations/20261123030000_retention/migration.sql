-- What the removal of old rows needs: an age of feed entries (those that are there begin anew), what was removed of each feed, and how
-- far the removal of events and competitions has come.
ALTER TABLE "feed_entries" ADD COLUMN "written_at" TIMESTAMPTZ(6) NOT NULL DEFAULT CURRENT_TIMESTAMP;

CREATE TABLE "feed_marks" (
    "account" BYTEA NOT NULL,
    "tx" BIGINT NOT NULL,
    "id" BIGINT NOT NULL,

    CONSTRAINT "feed_marks_pkey" PRIMARY KEY ("account")
);

CREATE TABLE "retention_marks" (
    "name" TEXT NOT NULL,
    "place" BIGINT NOT NULL,

    CONSTRAINT "retention_marks_pkey" PRIMARY KEY ("name")
);
