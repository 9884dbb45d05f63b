ALTER TABLE `auth_usage_records` ADD `seconds` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `images` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `seconds` real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `characters` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_sums` ADD `images` integer DEFAULT 0 NOT NULL;