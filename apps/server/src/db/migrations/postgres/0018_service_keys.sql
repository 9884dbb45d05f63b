ALTER TABLE "auth_api_keys" ADD COLUMN "note" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "previous_hash" text;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "previous_until" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "rotated_at" bigint;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "blocked_by" text;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "block_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_previous_hash" ON "auth_api_keys" USING btree ("previous_hash");--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_creation" ON "auth_api_keys" USING btree ("created_at");