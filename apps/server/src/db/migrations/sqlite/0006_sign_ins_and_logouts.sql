CREATE TABLE `auth_known_addresses` (
	`hash` text PRIMARY KEY NOT NULL,
	`user_id` text NOT NULL,
	`used_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_known_addresses_by_user` ON `auth_known_addresses` (`user_id`,`used_at`);--> statement-breakpoint
CREATE INDEX `auth_known_addresses_by_use` ON `auth_known_addresses` (`used_at`);--> statement-breakpoint
CREATE TABLE `auth_used_tokens` (
	`hash` text PRIMARY KEY NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `auth_used_tokens_by_expiry` ON `auth_used_tokens` (`expires_at`);--> statement-breakpoint
CREATE INDEX `auth_sessions_by_provider` ON `auth_sessions` (`provider_session`);