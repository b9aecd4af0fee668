-- Budgets of writes that are passed on. Versions before this one leave them out.
ALTER TABLE "order_books"
  ADD COLUMN "quote_calls_at" TIMESTAMPTZ(6) NOT NULL DEFAULT '1970-01-01 00:00:00+00',
  ADD COLUMN "submission_calls_at" TIMESTAMPTZ(6) NOT NULL DEFAULT '1970-01-01 00:00:00+00';
