CREATE TABLE `document_batches` (
	`id` text PRIMARY KEY NOT NULL,
	`store_id` text NOT NULL,
	`cancelled` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `document_batches_by_store` ON `document_batches` (`store_id`);--> statement-breakpoint
CREATE TABLE `document_chunks` (
	`store_id` text NOT NULL,
	`file_id` text NOT NULL,
	`run` text NOT NULL,
	`number` integer NOT NULL,
	`text` text NOT NULL,
	`start` integer NOT NULL,
	`end` integer NOT NULL,
	`vector` text NOT NULL,
	PRIMARY KEY(`store_id`, `file_id`, `run`, `number`)
);
--> statement-breakpoint
CREATE TABLE `document_files` (
	`store_id` text NOT NULL,
	`id` text NOT NULL,
	`filename` text NOT NULL,
	`owner` text NOT NULL,
	`server` text NOT NULL,
	`batch_id` text NOT NULL,
	`run` text NOT NULL,
	`status` text NOT NULL,
	`error_code` text,
	`error_message` text,
	`attributes` text NOT NULL,
	`chunk_size` integer NOT NULL,
	`chunk_overlap` integer NOT NULL,
	`chunk_count` integer NOT NULL,
	`usage_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`store_id`, `id`)
);
--> statement-breakpoint
CREATE INDEX `document_files_by_age` ON `document_files` (`store_id`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `document_files_by_file` ON `document_files` (`id`);--> statement-breakpoint
CREATE INDEX `document_files_by_batch` ON `document_files` (`batch_id`,`status`);--> statement-breakpoint
CREATE INDEX `document_files_by_work` ON `document_files` (`status`,`server`,`created_at`);--> statement-breakpoint
CREATE TABLE `document_stores` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`description` text,
	`metadata` text NOT NULL,
	`model` text NOT NULL,
	`dimensions` integer NOT NULL,
	`created_at` integer NOT NULL,
	`last_active_at` integer NOT NULL,
	`expires_days` integer,
	`revision` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `document_stores_by_owner` ON `document_stores` (`owner`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `document_stores_by_age` ON `document_stores` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `stored_files` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`server` text NOT NULL,
	`filename` text NOT NULL,
	`purpose` text NOT NULL,
	`size_bytes` integer NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer
);
--> statement-breakpoint
CREATE INDEX `stored_files_by_owner` ON `stored_files` (`owner`,`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `stored_files_by_age` ON `stored_files` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `stored_files_by_end` ON `stored_files` (`expires_at`);