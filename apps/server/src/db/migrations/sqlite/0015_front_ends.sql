CREATE TABLE `file_pieces` (
	`file` text NOT NULL,
	`piece` integer NOT NULL,
	`content` text NOT NULL,
	PRIMARY KEY(`file`, `piece`)
);
--> statement-breakpoint
CREATE TABLE `front_ends` (
	`id` text PRIMARY KEY NOT NULL,
	`lease_until` integer NOT NULL,
	`progress` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `router_corpora` (
	`corpus` text NOT NULL,
	`generation` text NOT NULL,
	`line` integer NOT NULL,
	`text` text NOT NULL,
	PRIMARY KEY(`corpus`, `generation`, `line`)
);
--> statement-breakpoint
CREATE TABLE `shared_documents` (
	`kind` text NOT NULL,
	`name` text NOT NULL,
	`content` text NOT NULL,
	`details` text NOT NULL,
	`revision` text NOT NULL,
	`version` integer NOT NULL,
	`is_deleted` integer NOT NULL,
	`changed_at` integer NOT NULL,
	PRIMARY KEY(`kind`, `name`)
);
