CREATE TABLE `__new_auth_usage_sums` (
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
	PRIMARY KEY(`span`, `start`, `user_id`, `user_name`, `source`, `api_key_id`, `api_key_name`, `model`, `currency`)
);
--> statement-breakpoint
INSERT INTO `__new_auth_usage_sums`("span", "start", "user_id", "user_name", "source", "api_key_id", "api_key_name", "model", "prompt_tokens", "completion_tokens", "total_tokens", "requests", "last_used_at", "cached_tokens", "reasoning_tokens", "estimated_tokens", "estimated_requests", "seconds", "characters", "images") SELECT "span", "start", "user_id", "user_name", "source", "api_key_id", "api_key_name", "model", "prompt_tokens", "completion_tokens", "total_tokens", "requests", "last_used_at", "cached_tokens", "reasoning_tokens", "estimated_tokens", "estimated_requests", "seconds", "characters", "images" FROM `auth_usage_sums`;--> statement-breakpoint
DROP TABLE `auth_usage_sums`;--> statement-breakpoint
ALTER TABLE `__new_auth_usage_sums` RENAME TO `auth_usage_sums`;--> statement-breakpoint
CREATE INDEX `auth_usage_sums_by_user` ON `auth_usage_sums` (`user_id`,`span`,`start`);--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `cache_write_tokens` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `cost_micros` integer;--> statement-breakpoint
ALTER TABLE `auth_usage_records` ADD `currency` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `note` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `previous_hash` text;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `previous_until` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `rotated_at` integer;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `blocked_by` text;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `block_reason` text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_api_keys` ADD `created_by` text;--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_previous_hash` ON `auth_api_keys` (`previous_hash`);--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_creation` ON `auth_api_keys` (`created_at`);--> statement-breakpoint
CREATE TABLE `auth_limits` (
	`id` text PRIMARY KEY NOT NULL,
	`subject_kind` text NOT NULL,
	`subject_id` text NOT NULL,
	`model` text NOT NULL,
	`max_requests` integer,
	`max_tokens` integer,
	`max_cost_micros` integer,
	`currency` text NOT NULL,
	`max_parallel` integer,
	`window_kind` text NOT NULL,
	`window_unit` text,
	`window_ms` integer,
	`is_soft` integer NOT NULL,
	`is_enabled` integer NOT NULL,
	`note` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
ALTER TABLE `auth_quota_counters` ADD `cost_micros` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_quota_counters` ADD `parallel` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `auth_quota_counters` ADD `buckets` text;--> statement-breakpoint
ALTER TABLE `auth_quota_reservations` ADD `cost_micros` integer DEFAULT 0 NOT NULL;