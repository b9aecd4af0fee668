-- What a client has uploaded that no order names.
CREATE INDEX CONCURRENTLY "app_data_client_idx" ON "app_data"("client") WHERE "client" IS NOT NULL;
