ALTER TABLE "auth_usage_records" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "cost_micros" bigint;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "currency" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "cache_write_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "currency" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "cost_micros" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "unpriced_requests" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" DROP CONSTRAINT "auth_usage_sums_span_start_user_id_user_name_source_api_key_id_api_key_name_model_pk";--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD CONSTRAINT "auth_usage_sums_span_start_user_id_user_name_source_api_key_id_api_key_name_model_currency_pk" PRIMARY KEY("span","start","user_id","user_name","source","api_key_id","api_key_name","model","currency");