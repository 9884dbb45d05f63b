CREATE TABLE "model_load_jobs" (
	"key" text PRIMARY KEY NOT NULL,
	"model" text NOT NULL,
	"config_revision" text NOT NULL,
	"state" text NOT NULL,
	"owner" text,
	"fence" bigint NOT NULL,
	"lease_until" bigint NOT NULL,
	"node_id" text,
	"node_name" text,
	"replica_index" bigint NOT NULL,
	"bytes_sent" bigint NOT NULL,
	"total_bytes" bigint NOT NULL,
	"file_index" bigint NOT NULL,
	"total_files" bigint NOT NULL,
	"error" text,
	"started_at" bigint NOT NULL,
	"progress_at" bigint NOT NULL,
	"ends_at" bigint
);
--> statement-breakpoint
CREATE TABLE "model_scheduling" (
	"model" text PRIMARY KEY NOT NULL,
	"node_selector" text NOT NULL,
	"min_replicas" bigint NOT NULL,
	"max_replicas" bigint NOT NULL,
	"spread_all" bigint NOT NULL,
	"route_policy" text NOT NULL,
	"balance_abs_threshold" bigint NOT NULL,
	"balance_rel_threshold" double precision NOT NULL,
	"min_prefix_match" double precision NOT NULL,
	"unsatisfiable_until" bigint,
	"unsatisfiable_ticks" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "node_replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"model" text NOT NULL,
	"replica_index" bigint NOT NULL,
	"process_key" text NOT NULL,
	"address" text NOT NULL,
	"state" text NOT NULL,
	"backend" text NOT NULL,
	"config_revision" text NOT NULL,
	"load_request" text NOT NULL,
	"weights" text,
	"size_vram" bigint,
	"created_at" bigint NOT NULL,
	"used_at" bigint NOT NULL,
	"cleanup_error" text,
	"cleanup_attempts" bigint NOT NULL,
	"cleanup_next_at" bigint
);
--> statement-breakpoint
CREATE TABLE "nodes" (
	"id" text PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"status" text NOT NULL,
	"is_approved" bigint NOT NULL,
	"address" text NOT NULL,
	"http_address" text NOT NULL,
	"resources" text NOT NULL,
	"reserved_vram" bigint NOT NULL,
	"labels" text NOT NULL,
	"own_labels" text NOT NULL,
	"max_replicas" bigint NOT NULL,
	"is_max_replicas_manual" bigint NOT NULL,
	"vram_budget" text NOT NULL,
	"is_vram_budget_manual" bigint NOT NULL,
	"api_key_id" text,
	"user_id" text,
	"heartbeat_at" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "pending_backend_ops" (
	"id" text PRIMARY KEY NOT NULL,
	"node_id" text NOT NULL,
	"backend" text NOT NULL,
	"op" text NOT NULL,
	"details" text NOT NULL,
	"attempts" bigint NOT NULL,
	"error" text,
	"next_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "replica_uses" (
	"replica_id" text NOT NULL,
	"frontend" text NOT NULL,
	"in_flight" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "replica_uses_replica_id_frontend_pk" PRIMARY KEY("replica_id","frontend")
);
--> statement-breakpoint
CREATE INDEX "model_load_jobs_by_model" ON "model_load_jobs" USING btree ("model");--> statement-breakpoint
CREATE UNIQUE INDEX "node_replicas_by_place" ON "node_replicas" USING btree ("node_id","model","replica_index");--> statement-breakpoint
CREATE INDEX "node_replicas_by_model" ON "node_replicas" USING btree ("model","state");--> statement-breakpoint
CREATE UNIQUE INDEX "nodes_by_name" ON "nodes" USING btree ("name");--> statement-breakpoint
CREATE UNIQUE INDEX "pending_backend_ops_by_op" ON "pending_backend_ops" USING btree ("node_id","backend","op");--> statement-breakpoint
CREATE INDEX "replica_uses_by_end" ON "replica_uses" USING btree ("expires_at");