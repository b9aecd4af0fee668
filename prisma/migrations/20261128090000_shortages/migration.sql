-- How often the owner of a live order was notified that funds are missing: each time doubles the pause before the next one.
ALTER TABLE "order_standings" ADD COLUMN "shortages" INTEGER NOT NULL DEFAULT 0;
