CREATE TABLE `response_events` (
	`response_id` text NOT NULL,
	`first_sequence` integer NOT NULL,
	`frames` text NOT NULL,
	PRIMARY KEY(`response_id`, `first_sequence`)
);
--> statement-breakpoint
CREATE TABLE `response_items` (
	`id` text PRIMARY KEY NOT NULL,
	`response_id` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `response_items_by_response` ON `response_items` (`response_id`);--> statement-breakpoint
CREATE TABLE `responses` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`status` text NOT NULL,
	`created_at` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`size_bytes` integer NOT NULL,
	`streamed` integer NOT NULL,
	`resource` text NOT NULL,
	`input` text NOT NULL
);
--> statement-breakpoint
CREATE INDEX `responses_by_age` ON `responses` (`created_at`,`size_bytes`);