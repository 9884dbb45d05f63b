CREATE TABLE `pii_conversations` (
	`hash` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`version` integer NOT NULL,
	`content` text NOT NULL,
	`expires_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `pii_conversations_by_end` ON `pii_conversations` (`expires_at`);--> statement-breakpoint
CREATE INDEX `pii_conversations_by_owner` ON `pii_conversations` (`owner`,`expires_at`);