CREATE TABLE "response_events" (
	"response_id" text NOT NULL,
	"first_sequence" bigint NOT NULL,
	"frames" text NOT NULL,
	CONSTRAINT "response_events_response_id_first_sequence_pk" PRIMARY KEY("response_id","first_sequence")
);
--> statement-breakpoint
CREATE TABLE "response_items" (
	"id" text PRIMARY KEY NOT NULL,
	"response_id" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "responses" (
	"id" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"status" text NOT NULL,
	"created_at" bigint NOT NULL,
	"lease_until" bigint NOT NULL,
	"size_bytes" bigint NOT NULL,
	"streamed" integer NOT NULL,
	"resource" text NOT NULL,
	"input" text NOT NULL
);
--> statement-breakpoint
CREATE INDEX "response_items_by_response" ON "response_items" USING btree ("response_id");--> statement-breakpoint
CREATE INDEX "responses_by_age" ON "responses" USING btree ("created_at","size_bytes");