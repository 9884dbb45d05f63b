CREATE TABLE `model_load_jobs` (
	`key` text PRIMARY KEY NOT NULL,
	`model` text NOT NULL,
	`config_revision` text NOT NULL,
	`state` text NOT NULL,
	`owner` text,
	`fence` integer NOT NULL,
	`lease_until` integer NOT NULL,
	`node_id` text,
	`node_name` text,
	`replica_index` integer NOT NULL,
	`bytes_sent` integer NOT NULL,
	`total_bytes` integer NOT NULL,
	`file_index` integer NOT NULL,
	`total_files` integer NOT NULL,
	`error` text,
	`started_at` integer NOT NULL,
	`progress_at` integer NOT NULL,
	`ends_at` integer
);
--> statement-breakpoint
CREATE INDEX `model_load_jobs_by_model` ON `model_load_jobs` (`model`);--> statement-breakpoint
CREATE TABLE `model_scheduling` (
	`model` text PRIMARY KEY NOT NULL,
	`node_selector` text NOT NULL,
	`min_replicas` integer NOT NULL,
	`max_replicas` integer NOT NULL,
	`spread_all` integer NOT NULL,
	`route_policy` text NOT NULL,
	`balance_abs_threshold` integer NOT NULL,
	`balance_rel_threshold` real NOT NULL,
	`min_prefix_match` real NOT NULL,
	`unsatisfiable_until` integer,
	`unsatisfiable_ticks` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `node_replicas` (
	`id` text PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`model` text NOT NULL,
	`replica_index` integer NOT NULL,
	`process_key` text NOT NULL,
	`address` text NOT NULL,
	`state` text NOT NULL,
	`backend` text NOT NULL,
	`config_revision` text NOT NULL,
	`load_request` text NOT NULL,
	`weights` text,
	`size_vram` integer,
	`created_at` integer NOT NULL,
	`used_at` integer NOT NULL,
	`cleanup_error` text,
	`cleanup_attempts` integer NOT NULL,
	`cleanup_next_at` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `node_replicas_by_place` ON `node_replicas` (`node_id`,`model`,`replica_index`);--> statement-breakpoint
CREATE INDEX `node_replicas_by_model` ON `node_replicas` (`model`,`state`);--> statement-breakpoint
CREATE TABLE `nodes` (
	`id` text PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`kind` text NOT NULL,
	`status` text NOT NULL,
	`is_approved` integer NOT NULL,
	`address` text NOT NULL,
	`http_address` text NOT NULL,
	`resources` text NOT NULL,
	`reserved_vram` integer NOT NULL,
	`labels` text NOT NULL,
	`own_labels` text NOT NULL,
	`max_replicas` integer NOT NULL,
	`is_max_replicas_manual` integer NOT NULL,
	`vram_budget` text NOT NULL,
	`is_vram_budget_manual` integer NOT NULL,
	`api_key_id` text,
	`user_id` text,
	`heartbeat_at` integer NOT NULL,
	`created_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `nodes_by_name` ON `nodes` (`name`);--> statement-breakpoint
CREATE TABLE `pending_backend_ops` (
	`id` text PRIMARY KEY NOT NULL,
	`node_id` text NOT NULL,
	`backend` text NOT NULL,
	`op` text NOT NULL,
	`details` text NOT NULL,
	`attempts` integer NOT NULL,
	`error` text,
	`next_at` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `pending_backend_ops_by_op` ON `pending_backend_ops` (`node_id`,`backend`,`op`);--> statement-breakpoint
CREATE TABLE `replica_uses` (
	`replica_id` text NOT NULL,
	`frontend` text NOT NULL,
	`in_flight` integer NOT NULL,
	`expires_at` integer NOT NULL,
	PRIMARY KEY(`replica_id`, `frontend`)
);
--> statement-breakpoint
CREATE INDEX `replica_uses_by_end` ON `replica_uses` (`expires_at`);