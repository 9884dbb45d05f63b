CREATE TABLE "auth_usage_label_sums" (
	"label" text NOT NULL,
	"value" text NOT NULL,
	"span" text NOT NULL,
	"start" bigint NOT NULL,
	"user_id" text NOT NULL,
	"user_name" text NOT NULL,
	"source" text NOT NULL,
	"api_key_id" text NOT NULL,
	"api_key_name" text NOT NULL,
	"model" text NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"total_tokens" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"last_used_at" bigint NOT NULL,
	"cached_tokens" bigint DEFAULT 0 NOT NULL,
	"reasoning_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_tokens" bigint DEFAULT 0 NOT NULL,
	"estimated_requests" bigint DEFAULT 0 NOT NULL,
	"seconds" double precision DEFAULT 0 NOT NULL,
	"characters" bigint DEFAULT 0 NOT NULL,
	"images" bigint DEFAULT 0 NOT NULL,
	"cache_write_tokens" bigint DEFAULT 0 NOT NULL,
	"currency" text DEFAULT '' NOT NULL,
	"cost_micros" bigint DEFAULT 0 NOT NULL,
	"unpriced_requests" bigint DEFAULT 0 NOT NULL,
	CONSTRAINT "auth_usage_label_sums_pk" PRIMARY KEY("label","span","start","value","user_id","user_name","source","api_key_id","api_key_name","model","currency")
);
--> statement-breakpoint
CREATE TABLE "auth_usage_labels" (
	"day" bigint NOT NULL,
	"label" text NOT NULL,
	"value" text NOT NULL,
	CONSTRAINT "auth_usage_labels_pk" PRIMARY KEY("day","label","value")
);
--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "end_user" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "auth_usage_records" ADD COLUMN "tags" text DEFAULT '' NOT NULL;--> statement-breakpoint
CREATE INDEX "auth_usage_label_sums_by_user" ON "auth_usage_label_sums" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "auth_usage_label_sums_by_start" ON "auth_usage_label_sums" USING btree ("span","start");