CREATE TABLE "sign_in_attempts" (
	"id" text NOT NULL,
	"name" text NOT NULL,
	"is_failed" bigint NOT NULL,
	"ends_at" bigint NOT NULL,
	CONSTRAINT "sign_in_attempts_name_id_pk" PRIMARY KEY("name","id")
);
--> statement-breakpoint
CREATE INDEX "sign_in_attempts_by_end" ON "sign_in_attempts" USING btree ("ends_at");