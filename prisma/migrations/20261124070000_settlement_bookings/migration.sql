-- What settlements change of the tokens of the settlement contract, and what of it is their solver's.
CREATE TABLE "settlement_bookings" (
    "auction_id" BIGINT NOT NULL,
    "solution_uid" INTEGER NOT NULL,
    "token" BYTEA NOT NULL,
    "network_fee" DECIMAL(78,0) NOT NULL,
    "protocol_fee" DECIMAL(78,0) NOT NULL,
    "internalized" DECIMAL(78,0) NOT NULL,
    "least" DECIMAL(78,0) NOT NULL,
    "change" DECIMAL(78,0),

    CONSTRAINT "settlement_bookings_pkey" PRIMARY KEY ("auction_id","solution_uid","token")
);
