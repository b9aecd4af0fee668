-- The first block of a followed network whose facts are notified.
ALTER TABLE "order_books" ADD COLUMN "notified_from" BIGINT NOT NULL DEFAULT 0;
