ALTER TABLE "auth_usage_records" ADD COLUMN "cached_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "reasoning_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "estimated" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "cached_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "reasoning_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "estimated_tokens" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "estimated_requests" bigint DEFAULT 0 NOT NULL;