ALTER TABLE `auth_api_keys` ADD `note` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `previous_hash` text;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `previous_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `rotated_at` integer;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `blocked_by` text;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `block_reason` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `created_by` text;--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_previous_hash` ON `auth_api_keys` (`previous_hash`);--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_creation` ON `auth_api_keys` (`created_at`);