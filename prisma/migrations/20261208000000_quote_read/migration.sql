-- Lists of an account's orders have no quotes: those of stored rows without one are not known. New rows say it themselves.
ALTER TABLE "mirrored_orders" ADD COLUMN     "is_quote_read" BOOLEAN DEFAULT false;
