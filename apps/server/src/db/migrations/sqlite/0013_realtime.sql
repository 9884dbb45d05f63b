CREATE TABLE `realtime_secrets` (
	`hash` text PRIMARY KEY NOT NULL,
	`maker` text NOT NULL,
	`maker_id` text NOT NULL,
	`model` text NOT NULL,
	`session` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `realtime_secrets_by_end` ON `realtime_secrets` (`expires_at`);