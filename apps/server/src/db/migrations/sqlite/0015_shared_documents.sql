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
