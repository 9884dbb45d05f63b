CREATE TABLE "agent_job_steps" (
	"job_id" text NOT NULL,
	"number" integer NOT NULL,
	"kind" text NOT NULL,
	"content" text NOT NULL,
	"call_id" text NOT NULL,
	"tool_name" text NOT NULL,
	"arguments" text NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "agent_job_steps_job_id_number_pk" PRIMARY KEY("job_id","number")
);
--> statement-breakpoint
CREATE TABLE "agent_jobs" (
	"id" text PRIMARY KEY NOT NULL,
	"task_id" text NOT NULL,
	"agent" text NOT NULL,
	"owner" text NOT NULL,
	"status" text NOT NULL,
	"triggered_by" text NOT NULL,
	"model" text NOT NULL,
	"prompt" text NOT NULL,
	"parameters" text NOT NULL,
	"media" text NOT NULL,
	"result" text,
	"error" text,
	"open_calls" text NOT NULL,
	"steps" integer NOT NULL,
	"server" text NOT NULL,
	"fence" integer NOT NULL,
	"lease_until" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"completed_at" bigint
);
--> statement-breakpoint
CREATE TABLE "agent_tasks" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"description" text NOT NULL,
	"model" text NOT NULL,
	"prompt" text NOT NULL,
	"enabled" integer NOT NULL,
	"cron" text NOT NULL,
	"cron_timezone" text NOT NULL,
	"cron_missed" text NOT NULL,
	"cron_parameters" text NOT NULL,
	"media_sources" text NOT NULL,
	"next_run_at" bigint,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"name" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"config" text NOT NULL,
	"active" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "agent_jobs_by_status" ON "agent_jobs" USING btree ("status","created_at");--> statement-breakpoint
CREATE INDEX "agent_jobs_by_task" ON "agent_jobs" USING btree ("task_id","created_at");--> statement-breakpoint
CREATE INDEX "agent_jobs_by_agent" ON "agent_jobs" USING btree ("agent","created_at");--> statement-breakpoint
CREATE INDEX "agent_jobs_by_age" ON "agent_jobs" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "agent_tasks_by_time" ON "agent_tasks" USING btree ("next_run_at");--> statement-breakpoint
CREATE INDEX "agent_tasks_by_name" ON "agent_tasks" USING btree ("name");