CREATE TABLE `pii_events` (
	`id` text PRIMARY KEY NOT NULL,
	`created_at` integer NOT NULL,
	`kind` text NOT NULL,
	`origin` text NOT NULL,
	`correlation_id` text NOT NULL,
	`user_id` text NOT NULL,
	`pattern_id` text NOT NULL,
	`facts` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pii_events_by_age` ON `pii_events` (`created_at`);