-- AlterTable
ALTER TABLE "settlements" ADD COLUMN     "is_unread" BOOLEAN NOT NULL DEFAULT false;
