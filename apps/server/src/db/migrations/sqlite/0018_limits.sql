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