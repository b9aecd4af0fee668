-- Attempts whose solver submits the settlement itself: its own id of the solution, once it is told to.
ALTER TABLE "settlement_attempts" ADD COLUMN "driver_solution" BIGINT;
