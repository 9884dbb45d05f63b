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