-- What a process that takes over needs to follow, to price again or to cancel the transaction of another.
ALTER TABLE "settlement_attempts" ADD COLUMN "signed_transaction" BYTEA;
