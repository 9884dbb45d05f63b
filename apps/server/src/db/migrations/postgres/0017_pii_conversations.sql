CREATE TABLE "pii_conversations" (
	"hash" text PRIMARY KEY NOT NULL,
	"owner" text NOT NULL,
	"version" bigint NOT NULL,
	"content" text NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "pii_conversations_by_end" ON "pii_conversations" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "pii_conversations_by_owner" ON "pii_conversations" USING btree ("owner","expires_at");