ALTER TABLE "auth_usage_records" ADD COLUMN "seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "characters" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "images" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "seconds" double precision DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "characters" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_sums" ADD COLUMN "images" bigint DEFAULT 0 NOT NULL;