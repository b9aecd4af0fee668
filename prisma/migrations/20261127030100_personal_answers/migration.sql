-- AlterTable
ALTER TABLE "idempotency_keys" ADD COLUMN     "personal" BOOLEAN NOT NULL DEFAULT false;
