-- A chat that ends its channels does not know whose they are.
CREATE INDEX "channels_chat_idx" ON "channels"("address") WHERE kind = 'telegram' AND state <> 'ended';
