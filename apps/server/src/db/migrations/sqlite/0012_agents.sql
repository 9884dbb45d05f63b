CREATE TABLE `agent_job_steps` (
	`job_id` text NOT NULL,
	`number` integer NOT NULL,
	`kind` text NOT NULL,
	`content` text NOT NULL,
	`call_id` text NOT NULL,
	`tool_name` text NOT NULL,
	`arguments` text NOT NULL,
	`created_at` integer NOT NULL,
	PRIMARY KEY(`job_id`, `number`)
);
--> statement-breakpoint
CREATE TABLE `agent_jobs` (
	`id` text PRIMARY KEY NOT NULL,
	`task_id` text NOT NULL,
	`agent` text NOT NULL,
	`owner` text NOT NULL,
	`status` text NOT NULL,
	`triggered_by` text NOT NULL,
	`model` text NOT NULL,
	`prompt` text NOT NULL,
	`parameters` text NOT NULL,
	`media` text NOT NULL,
	`result` text,
	`error` text,
	`open_calls` text NOT NULL,
	`steps` integer NOT NULL,
	`server` text NOT NULL,
	`fence` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`created_at` integer NOT NULL,
	`started_at` integer,
	`completed_at` integer
);
--> statement-breakpoint
CREATE INDEX `agent_jobs_by_status` ON `agent_jobs` (`status`,`created_at`);--> statement-breakpoint
CREATE INDEX `agent_jobs_by_task` ON `agent_jobs` (`task_id`,`created_at`);--> statement-breakpoint
CREATE INDEX `agent_jobs_by_agent` ON `agent_jobs` (`agent`,`created_at`);--> statement-breakpoint
CREATE INDEX `agent_jobs_by_age` ON `agent_jobs` (`created_at`,`id`);--> statement-breakpoint
CREATE TABLE `agent_tasks` (
	`id` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`name` text NOT NULL,
	`description` text NOT NULL,
	`model` text NOT NULL,
	`prompt` text NOT NULL,
	`enabled` integer NOT NULL,
	`cron` text NOT NULL,
	`cron_timezone` text NOT NULL,
	`cron_missed` text NOT NULL,
	`cron_parameters` text NOT NULL,
	`media_sources` text NOT NULL,
	`next_run_at` integer,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
--> statement-breakpoint
CREATE INDEX `agent_tasks_by_time` ON `agent_tasks` (`next_run_at`);--> statement-breakpoint
CREATE INDEX `agent_tasks_by_name` ON `agent_tasks` (`name`);--> statement-breakpoint
CREATE TABLE `agents` (
	`name` text PRIMARY KEY NOT NULL,
	`owner` text NOT NULL,
	`config` text NOT NULL,
	`active` integer NOT NULL,
	`created_at` integer NOT NULL,
	`updated_at` integer NOT NULL
);
