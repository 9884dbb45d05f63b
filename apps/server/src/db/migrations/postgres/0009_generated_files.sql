CREATE TABLE "generated_files" (
	"name" text PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"owner" text NOT NULL,
	"media_type" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "generated_files_by_age" ON "generated_files" USING btree ("created_at","size_bytes");