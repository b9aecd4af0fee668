-- What was sent as one message is sent as one again, with its id.
ALTER TABLE "deliveries" ADD COLUMN "batch" BIGINT;

-- Where a minute may hold so many messages only.
ALTER TABLE "channels" ADD COLUMN "minute_began_at" TIMESTAMPTZ(6),
ADD COLUMN "minute_messages" INTEGER NOT NULL DEFAULT 0;

-- Tokens that were sent to confirm channels: nobody can have a stranger's mailbox flooded with them.
CREATE TABLE "channel_confirmations" (
    "id" BIGSERIAL NOT NULL,
    "kind" TEXT NOT NULL,
    "receiver" BYTEA NOT NULL,
    "account" BYTEA NOT NULL,
    "sent_at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "channel_confirmations_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "channel_confirmations_receiver_sent_at_idx" ON "channel_confirmations"("receiver", "sent_at");
CREATE INDEX "channel_confirmations_account_sent_at_idx" ON "channel_confirmations"("account", "sent_at");
CREATE INDEX "channel_confirmations_sent_at_idx" ON "channel_confirmations"("sent_at");
