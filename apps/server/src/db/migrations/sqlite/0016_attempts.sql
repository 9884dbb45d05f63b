CREATE TABLE `sign_in_attempts` (
	`id` text NOT NULL,
	`name` text NOT NULL,
	`is_failed` integer NOT NULL,
	`ends_at` integer NOT NULL,
	PRIMARY KEY(`name`, `id`)
);
--> statement-breakpoint
CREATE INDEX `sign_in_attempts_by_end` ON `sign_in_attempts` (`ends_at`);