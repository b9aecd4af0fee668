-- How fresh an answer is: the time of the newest indexed block, and the newest one that was seen when it was indexed.
ALTER TABLE "checkpoints" ADD COLUMN "block_time" TIMESTAMPTZ(0),
ADD COLUMN "head_number" BIGINT;
