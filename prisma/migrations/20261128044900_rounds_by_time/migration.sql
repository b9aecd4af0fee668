ALTER TABLE "auction_rounds" DROP COLUMN "block";
