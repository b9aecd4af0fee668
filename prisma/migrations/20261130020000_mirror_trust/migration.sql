-- When the order book was last read without a fault.
ALTER TABLE "order_books" ADD COLUMN "looked_at" TIMESTAMPTZ(6);

-- What the order book says, apart from what is verified.
ALTER TABLE "mirrored_orders"
  ADD COLUMN "executed_fee" DECIMAL(78,0),
  ADD COLUMN "executed_fee_token" BYTEA,
  ADD COLUMN "traded_at" TIMESTAMPTZ(6),
  ADD COLUMN "is_signed" BOOLEAN,
  ADD COLUMN "signature_read_at" TIMESTAMPTZ(6),
  ADD COLUMN "unverified_document" TEXT,
  ADD COLUMN "requested_at" TIMESTAMPTZ(6);
