-- What became of a settlement's transaction while it was sent, in words.
ALTER TABLE "settlement_attempts" ADD COLUMN "submission" TEXT;
