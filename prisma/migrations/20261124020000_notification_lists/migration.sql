-- Lists of an account's notifications by time, alone, by type and by order.
CREATE INDEX "notifications_account_timestamp_id_idx" ON "notifications"("account", "timestamp", "id");
CREATE INDEX "notifications_account_type_timestamp_id_idx" ON "notifications"("account", "type", "timestamp", "id");
CREATE INDEX "notifications_account_order_idx" ON "notifications"("account", ("metadata"->>'orderId'), "timestamp", "id");
