ALTER TABLE "auth_usage_records" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "cost_micros" bigint;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "currency" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "currency" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "cost_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "unpriced_requests" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" DROP CONSTRAINT "auth_usage_sums_span_start_user_id_user_name_source_api_key_id_api_key_name_model_pk";--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD CONSTRAINT "auth_usage_sums_span_start_user_id_user_name_source_api_key_id_api_key_name_model_currency_pk" PRIMARY KEY("span","start","user_id","user_name","source","api_key_id","api_key_name","model","currency");--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "note" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "previous_hash" text;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "previous_until" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "rotated_at" bigint;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "blocked_by" text;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "block_reason" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_api_keys" ADD COLUMN "created_by" text;--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_previous_hash" ON "auth_api_keys" USING btree ("previous_hash");--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_creation" ON "auth_api_keys" USING btree ("created_at");--> statement-breakpoint
CREATE TABLE "auth_limits" (
	"id" text PRIMARY KEY NOT NULL,
	"subject_kind" text NOT NULL,
	"subject_id" text NOT NULL,
	"model" text NOT NULL,
	"max_requests" bigint,
	"max_tokens" bigint,
	"max_cost_micros" bigint,
	"currency" text NOT NULL,
	"max_parallel" bigint,
	"window_kind" text NOT NULL,
	"window_unit" text,
	"window_ms" bigint,
	"is_soft" bigint NOT NULL,
	"is_enabled" bigint NOT NULL,
	"note" text NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "auth_quota_counters" ADD COLUMN "cost_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_quota_counters" ADD COLUMN "parallel" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_quota_counters" ADD COLUMN "buckets" text;--> statement-breakpoint
ALTER TABLE "auth_quota_reservations" ADD COLUMN "cost_micros" bigint DEFAULT 0 NOT NULL;