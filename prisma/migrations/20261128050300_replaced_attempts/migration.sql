-- AlterTable
ALTER TABLE "settlement_attempts" ADD COLUMN     "replaced_block" BIGINT;
