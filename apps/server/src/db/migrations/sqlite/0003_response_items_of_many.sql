CREATE TABLE `__new_response_items` (
	`id` text NOT NULL,
	`response_id` text NOT NULL,
	PRIMARY KEY(`id`, `response_id`)
);
--> statement-breakpoint
INSERT INTO `__new_response_items`("id", "response_id") SELECT "id", "response_id" FROM `response_items`;--> statement-breakpoint
DROP TABLE `response_items`;--> statement-breakpoint
ALTER TABLE `__new_response_items` RENAME TO `response_items`;--> statement-breakpoint
CREATE INDEX `response_items_by_response` ON `response_items` (`response_id`);