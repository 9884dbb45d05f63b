CREATE TABLE "document_batches" (
	"id" text PRIMARY KEY NOT NULL,
	"store_id" text NOT NULL,
	"cancelled" integer NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "document_chunks" (
	"store_id" text NOT NULL,
	"file_id" text NOT NULL,
	"run" text NOT NULL,
	"number" integer NOT NULL,
	"text" text NOT NULL,
	"start" integer NOT NULL,
	"end" integer NOT NULL,
	"vector" text NOT NULL,
	CONSTRAINT "document_chunks_store_id_file_id_run_number_pk" PRIMARY KEY("store_id","file_id","run","number")
);
--> statement-breakpoint
CREATE TABLE "document_files" (
	"store_id" text NOT NULL,
	"id" text NOT NULL,
	"filename" text NOT NULL,
	"owner" text NOT NULL,
	"server" text NOT NULL,
	"batch_id" text NOT NULL,
	"run" text NOT NULL,
	"status" text NOT NULL,
	"error_code" text,
	"error_message" text,
	"attributes" text NOT NULL,
	"chunk_size" integer NOT NULL,
	"chunk_overlap" integer NOT NULL,
	"chunk_count" integer NOT NULL,
	"usage_bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	CONSTRAINT "document_files_store_id_id_pk" PRIMARY KEY("store_id","id")
);
--> statement-breakpoint
CREATE TABLE "document_stores" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"name" text NOT NULL,
	"description" text,
	"metadata" text NOT NULL,
	"model" text NOT NULL,
	"dimensions" integer NOT NULL,
	"created_at" bigint NOT NULL,
	"last_active_at" bigint NOT NULL,
	"expires_days" integer,
	"revision" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "stored_files" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"server" text NOT NULL,
	"filename" text NOT NULL,
	"purpose" text NOT NULL,
	"size_bytes" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint
);
--> statement-breakpoint
CREATE INDEX "document_batches_by_store" ON "document_batches" USING btree ("store_id");--> statement-breakpoint
CREATE INDEX "document_files_by_age" ON "document_files" USING btree ("store_id","created_at","id");--> statement-breakpoint
CREATE INDEX "document_files_by_file" ON "document_files" USING btree ("id");--> statement-breakpoint
CREATE INDEX "document_files_by_batch" ON "document_files" USING btree ("batch_id","status");--> statement-breakpoint
CREATE INDEX "document_files_by_work" ON "document_files" USING btree ("status","server","created_at");--> statement-breakpoint
CREATE INDEX "document_stores_by_owner" ON "document_stores" USING btree ("owner","created_at","id");--> statement-breakpoint
CREATE INDEX "document_stores_by_age" ON "document_stores" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "stored_files_by_owner" ON "stored_files" USING btree ("owner","created_at","id");--> statement-breakpoint
CREATE INDEX "stored_files_by_age" ON "stored_files" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "stored_files_by_end" ON "stored_files" USING btree ("expires_at");