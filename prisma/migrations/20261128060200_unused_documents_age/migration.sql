-- Which of it ends next.
CREATE INDEX CONCURRENTLY "app_data_expires_idx" ON "app_data"("expires_at") WHERE "expires_at" IS NOT NULL;
