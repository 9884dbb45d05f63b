CREATE TABLE `known_files` (
	`path` text PRIMARY KEY NOT NULL,
	`sha256` text NOT NULL,
	`noted_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `known_files_by_content` ON `known_files` (`sha256`);--> statement-breakpoint
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