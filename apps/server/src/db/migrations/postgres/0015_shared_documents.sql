CREATE TABLE "shared_documents" (
	"kind" text NOT NULL,
	"name" text NOT NULL,
	"content" text NOT NULL,
	"details" text NOT NULL,
	"revision" text NOT NULL,
	"version" bigint NOT NULL,
	"is_deleted" bigint NOT NULL,
	"changed_at" bigint NOT NULL,
	CONSTRAINT "shared_documents_kind_name_pk" PRIMARY KEY("kind","name")
);
