CREATE TABLE `operations` (
	`job_id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`state` text NOT NULL,
	`subject` text NOT NULL,
	`action` text NOT NULL,
	`full_name` text NOT NULL,
	`details` text NOT NULL,
	`error` text,
	`node_id` text,
	`position` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`finished_at` integer
);
--> statement-breakpoint
CREATE INDEX `operations_by_owner` ON `operations` (`owner`,`state`);