CREATE TABLE `auth_group_members` (
	`group_id` text NOT NULL,
	`user_id` text NOT NULL,
	`origin` text NOT NULL,
	PRIMARY KEY(`group_id`, `user_id`, `origin`)
);
--> statement-breakpoint
CREATE INDEX `auth_group_members_by_user` ON `auth_group_members` (`user_id`);--> statement-breakpoint
CREATE TABLE `auth_groups` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`name_key` text NOT NULL,
	`note` text NOT NULL,
	`is_default` integer NOT NULL,
	`features` text NOT NULL,
	`allowed_models` text NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `auth_groups_by_name` ON `auth_groups` (`name_key`);