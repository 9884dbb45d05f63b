CREATE TABLE `auth_api_keys` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`name` text NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`role` text NOT NULL,
	`scopes` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_api_keys_by_hash` ON `auth_api_keys` (`hash`);--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_user` ON `auth_api_keys` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `auth_api_keys_by_expiry` ON `auth_api_keys` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_facts` (
	`key` text PRIMARY KEY NOT NULL,
	`value` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auth_invites` (
	`id` text PRIMARY KEY NOT NULL,
	`hash` text NOT NULL,
	`prefix` text NOT NULL,
	`created_by` text,
	`used_by` text,
	`used_at` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_invites_by_hash` ON `auth_invites` (`hash`);--> statement-breakpoint
CREATE INDEX `auth_invites_by_age` ON `auth_invites` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `auth_quota_counters` (
	`rule_id` text PRIMARY KEY NOT NULL,
	`window_start` integer NOT NULL,
	`requests` integer NOT NULL,
	`tokens` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `auth_quota_reservations` (
	`id` text NOT NULL,
	`rule_id` text NOT NULL,
	`window_start` integer NOT NULL,
	`tokens` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`id`, `rule_id`)
);
--> statement-breakpoint
CREATE INDEX `auth_quota_reservations_by_rule` ON `auth_quota_reservations` (`rule_id`,`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_quota_rules` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`model` text NOT NULL,
	`max_requests` integer,
	`max_tokens` integer,
	`window_ms` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_quota_rules_by_user` ON `auth_quota_rules` (`user_id`,`model`);--> statement-breakpoint
CREATE TABLE `auth_sessions` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text,
	`shared_key_hash` text,
	`api_key_id` text,
	`provider_session` text,
	`hash` text NOT NULL,
	`previous_hash` text,
	`previous_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`rotated_at` integer NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_sessions_by_hash` ON `auth_sessions` (`hash`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_previous_hash` ON `auth_sessions` (`previous_hash`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_user` ON `auth_sessions` (`user_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_expiry` ON `auth_sessions` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_sign_ins` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_sign_ins_by_expiry` ON `auth_sign_ins` (`expires_at`);--> statement-breakpoint
CREATE TABLE `auth_usage_records` (
	`id` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`user_name` text NOT NULL,
	`source` text NOT NULL,
	`api_key_id` text NOT NULL,
	`api_key_name` text NOT NULL,
	`model` text NOT NULL,
	`endpoint` text NOT NULL,
	`prompt_tokens` integer NOT NULL,
	`completion_tokens` integer NOT NULL,
	`total_tokens` integer NOT NULL,
	`duration_ms` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_usage_records_by_age` ON `auth_usage_records` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `auth_usage_records_by_user` ON `auth_usage_records` (`user_id`,`created_at`);--> statement-breakpoint
CREATE TABLE `auth_usage_sums` (
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
	PRIMARY KEY(`span`, `start`, `user_id`, `user_name`, `source`, `api_key_id`, `api_key_name`, `model`)
);
--> statement-breakpoint
CREATE INDEX `auth_usage_sums_by_user` ON `auth_usage_sums` (`user_id`,`span`,`start`);--> statement-breakpoint
CREATE TABLE `auth_users` (
	`id` text PRIMARY KEY NOT NULL,
	`email` text NOT NULL,
	`email_verified` integer NOT NULL,
	`name` text NOT NULL,
	`avatar_url` text NOT NULL,
	`provider` text NOT NULL,
	`subject` text NOT NULL,
	`password_hash` text,
	`role` text NOT NULL,
	`status` text NOT NULL,
	`approved` integer NOT NULL,
	`features` text NOT NULL,
	`allowed_models` text NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_users_by_subject` ON `auth_users` (`provider`,`subject`);--> statement-breakpoint
CREATE INDEX `auth_users_by_age` ON `auth_users` (`created_at`,`id`);