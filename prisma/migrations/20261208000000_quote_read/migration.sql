-- Lists of an account's orders have no quotes: those of rows without one are not known. New rows say it themselves.
ALTER TABLE "mirrored_orders" ADD COLUMN     "is_quote_read" BOOLEAN DEFAULT false;
ALTER TABLE "mirrored_orders" ALTER COLUMN "is_quote_read" DROP DEFAULT;
