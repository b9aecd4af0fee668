-- AlterTable
ALTER TABLE "quotes" ADD COLUMN "metadata" JSONB,
ADD COLUMN "reply" JSONB;

-- AlterTable
ALTER TABLE "order_quotes" ADD COLUMN "metadata" JSONB;
