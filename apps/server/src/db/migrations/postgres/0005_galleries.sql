CREATE TABLE "known_files" (
	"path" text PRIMARY KEY NOT NULL,
	"sha256" text NOT NULL,
	"noted_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "operations" (
	"job_id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"state" text NOT NULL,
	"subject" text NOT NULL,
	"action" text NOT NULL,
	"full_name" text NOT NULL,
	"details" text NOT NULL,
	"error" text,
	"node_id" text,
	"position" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"started_at" bigint,
	"finished_at" bigint
);
--> statement-breakpoint
CREATE INDEX "known_files_by_content" ON "known_files" USING btree ("sha256");--> statement-breakpoint
CREATE INDEX "operations_by_owner" ON "operations" USING btree ("owner","state");