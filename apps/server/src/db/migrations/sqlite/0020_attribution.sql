CREATE TABLE `auth_usage_label_sums` (
	`label` text NOT NULL,
	`value` text NOT NULL,
	`span` text NOT NULL,
	`start` integer NOT NULL,
	`user_id` text NOT NULL,
	`user_name` text NOT NULL,
	`source` text NOT NULL,
	`api_key_id` text NOT NULL,
	`api_key_name` text NOT NULL,
	`model` text NOT NULL,
	`prompt_tokens` integer NOT NULL,
	`completion_tokens` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`requests` integer NOT NULL,
	`last_used_at` integer NOT NULL,
	`cached_tokens` integer DEFAULT 0 NOT NULL,
	`reasoning_tokens` integer DEFAULT 0 NOT NULL,
	`estimated_tokens` integer DEFAULT 0 NOT NULL,
	`estimated_requests` integer DEFAULT 0 NOT NULL,
	`seconds` real DEFAULT 0 NOT NULL,
	`characters` integer DEFAULT 0 NOT NULL,
	`images` integer DEFAULT 0 NOT NULL,
	`cache_write_tokens` integer DEFAULT 0 NOT NULL,
	`currency` text DEFAULT '' NOT NULL,
	`cost_micros` integer DEFAULT 0 NOT NULL,
	`unpriced_requests` integer DEFAULT 0 NOT NULL,
	PRIMARY KEY(`label`, `span`, `start`, `value`, `user_id`, `user_name`, `source`, `api_key_id`, `api_key_name`, `model`, `currency`)
);
--> statement-breakpoint
CREATE INDEX `auth_usage_label_sums_by_user` ON `auth_usage_label_sums` (`user_id`);--> statement-breakpoint
CREATE INDEX `auth_usage_label_sums_by_start` ON `auth_usage_label_sums` (`span`,`start`);--> statement-breakpoint
CREATE TABLE `auth_usage_labels` (
	`day` integer NOT NULL,
	`label` text NOT NULL,
	`value` text NOT NULL,
	PRIMARY KEY(`day`, `label`, `value`)
);
--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `end_user` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `tags` text DEFAULT '' NOT NULL;