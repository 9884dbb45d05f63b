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
ALTER TABLE `auth_usage_records` ADD `currency` text DEFAULT '' NOT NULL;