-- CreateTable
CREATE TABLE "schema_floors" (
    "migration" TEXT NOT NULL,
    "needs" TEXT NOT NULL,

    CONSTRAINT "schema_floors_pkey" PRIMARY KEY ("migration")
);
