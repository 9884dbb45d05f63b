CREATE TABLE "auth_api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"name" text NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"role" text NOT NULL,
	"scopes" text NOT NULL,
	"created_at" bigint NOT NULL,
	"expires_at" bigint,
	"last_used_at" bigint
);
--> statement-breakpoint
CREATE TABLE "auth_facts" (
	"key" text PRIMARY KEY NOT NULL,
	"value" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_invites" (
	"id" text PRIMARY KEY NOT NULL,
	"hash" text NOT NULL,
	"prefix" text NOT NULL,
	"created_by" text,
	"used_by" text,
	"used_at" bigint,
	"created_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_quota_counters" (
	"rule_id" text PRIMARY KEY NOT NULL,
	"window_start" bigint NOT NULL,
	"requests" bigint NOT NULL,
	"tokens" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_quota_reservations" (
	"id" text NOT NULL,
	"rule_id" text NOT NULL,
	"window_start" bigint NOT NULL,
	"tokens" bigint NOT NULL,
	"expires_at" bigint NOT NULL,
	CONSTRAINT "auth_quota_reservations_id_rule_id_pk" PRIMARY KEY("id","rule_id")
);
--> statement-breakpoint
CREATE TABLE "auth_quota_rules" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"model" text NOT NULL,
	"max_requests" bigint,
	"max_tokens" bigint,
	"window_ms" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"shared_key_hash" text,
	"api_key_id" text,
	"provider_session" text,
	"hash" text NOT NULL,
	"previous_hash" text,
	"previous_until" bigint NOT NULL,
	"created_at" bigint NOT NULL,
	"rotated_at" bigint NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_sign_ins" (
	"hash" text PRIMARY KEY NOT NULL,
	"expires_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_usage_records" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"user_name" text NOT NULL,
	"source" text NOT NULL,
	"api_key_id" text NOT NULL,
	"api_key_name" text NOT NULL,
	"model" text NOT NULL,
	"endpoint" text NOT NULL,
	"prompt_tokens" bigint NOT NULL,
	"completion_tokens" bigint NOT NULL,
	"total_tokens" bigint NOT NULL,
	"duration_ms" bigint NOT NULL,
	"created_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auth_usage_sums" (
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
	CONSTRAINT "auth_usage_sums_span_start_user_id_user_name_source_api_key_id_api_key_name_model_pk" PRIMARY KEY("span","start","user_id","user_name","source","api_key_id","api_key_name","model")
);
--> statement-breakpoint
CREATE TABLE "auth_users" (
	"id" text PRIMARY KEY NOT NULL,
	"email" text NOT NULL,
	"email_verified" integer NOT NULL,
	"name" text NOT NULL,
	"avatar_url" text NOT NULL,
	"provider" text NOT NULL,
	"subject" text NOT NULL,
	"password_hash" text,
	"role" text NOT NULL,
	"status" text NOT NULL,
	"approved" integer NOT NULL,
	"features" text NOT NULL,
	"allowed_models" text NOT NULL,
	"created_at" bigint NOT NULL,
	"updated_at" bigint NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX "auth_api_keys_by_hash" ON "auth_api_keys" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_user" ON "auth_api_keys" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "auth_api_keys_by_expiry" ON "auth_api_keys" USING btree ("expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_invites_by_hash" ON "auth_invites" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "auth_invites_by_age" ON "auth_invites" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "auth_quota_reservations_by_rule" ON "auth_quota_reservations" USING btree ("rule_id","expires_at");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_quota_rules_by_user" ON "auth_quota_rules" USING btree ("user_id","model");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_sessions_by_hash" ON "auth_sessions" USING btree ("hash");--> statement-breakpoint
CREATE INDEX "auth_sessions_by_previous_hash" ON "auth_sessions" USING btree ("previous_hash");--> statement-breakpoint
CREATE INDEX "auth_sessions_by_user" ON "auth_sessions" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "auth_sessions_by_expiry" ON "auth_sessions" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_sign_ins_by_expiry" ON "auth_sign_ins" USING btree ("expires_at");--> statement-breakpoint
CREATE INDEX "auth_usage_records_by_age" ON "auth_usage_records" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "auth_usage_records_by_user" ON "auth_usage_records" USING btree ("user_id","created_at");--> statement-breakpoint
CREATE INDEX "auth_usage_sums_by_user" ON "auth_usage_sums" USING btree ("user_id","span","start");--> statement-breakpoint
CREATE UNIQUE INDEX "auth_users_by_subject" ON "auth_users" USING btree ("provider","subject");--> statement-breakpoint
CREATE INDEX "auth_users_by_age" ON "auth_users" USING btree ("created_at","id");