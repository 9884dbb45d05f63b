ALTER TABLE `auth_usage_records` ADD `cached_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `reasoning_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `estimated` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `cached_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `reasoning_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `estimated_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `estimated_requests` integer DEFAULT 0 NOT NULL;