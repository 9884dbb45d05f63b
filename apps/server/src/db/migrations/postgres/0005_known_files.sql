CREATE TABLE "known_files" (
	"path" text PRIMARY KEY NOT NULL,
	"sha256" text NOT NULL,
	"noted_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "known_files_by_content" ON "known_files" USING btree ("sha256");