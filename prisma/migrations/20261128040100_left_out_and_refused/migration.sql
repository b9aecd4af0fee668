-- Which orders auctions left out, what solvers answered, and which solutions were refused.
CREATE TABLE "exclusion_spans" (
    "chain_id" INTEGER NOT NULL,
    "order_id" BIGINT NOT NULL,
    "first_auction" BIGINT NOT NULL,
    "last_auction" BIGINT,
    "reason" TEXT NOT NULL,

    CONSTRAINT "exclusion_spans_pkey" PRIMARY KEY ("order_id","first_auction")
);
-- As for spans of auctions: the orders of one auction, and what the newest auction continues.
CREATE INDEX "exclusion_spans_auctions_idx" ON "exclusion_spans" USING gist (int8range("first_auction", "last_auction", '[]'));
CREATE UNIQUE INDEX "exclusion_spans_open_idx" ON "exclusion_spans"("chain_id", "order_id") WHERE last_auction IS NULL;

CREATE TABLE "solver_answers" (
    "auction_id" BIGINT NOT NULL,
    "solver" BYTEA NOT NULL,
    "answer" TEXT NOT NULL,
    "fault" TEXT,
    "milliseconds" INTEGER,

    CONSTRAINT "solver_answers_pkey" PRIMARY KEY ("auction_id","solver")
);

CREATE TABLE "refused_solutions" (
    "id" BIGSERIAL NOT NULL,
    "auction_id" BIGINT NOT NULL,
    "chain_id" INTEGER NOT NULL,
    "deadline_block" BIGINT NOT NULL,
    "solver" BYTEA NOT NULL,
    "solution_ids" BIGINT[],
    "code" TEXT NOT NULL,
    "message" TEXT NOT NULL,
    "order_ids" BIGINT[],
    "at" TIMESTAMPTZ(6) NOT NULL,

    CONSTRAINT "refused_solutions_pkey" PRIMARY KEY ("id")
);
CREATE INDEX "refused_solutions_chain_id_solver_id_idx" ON "refused_solutions"("chain_id", "solver", "id");
CREATE INDEX "refused_solutions_auction_id_idx" ON "refused_solutions"("auction_id");
CREATE INDEX "refused_solutions_at_idx" ON "refused_solutions"("at");
CREATE INDEX "refused_solutions_order_ids_idx" ON "refused_solutions" USING gin ("order_ids");

ALTER TABLE "solutions" ADD COLUMN "refusal" TEXT, ADD COLUMN "refusal_message" TEXT;
