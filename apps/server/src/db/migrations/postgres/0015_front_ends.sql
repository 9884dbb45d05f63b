CREATE TABLE "file_pieces" (
	"file" text NOT NULL,
	"piece" bigint NOT NULL,
	"content" text NOT NULL,
	CONSTRAINT "file_pieces_file_piece_pk" PRIMARY KEY("file","piece")
);
--> statement-breakpoint
CREATE TABLE "front_ends" (
	"id" text PRIMARY KEY NOT NULL,
	"lease_until" bigint NOT NULL,
	"progress" text NOT NULL
);
--> statement-breakpoint
CREATE TABLE "router_corpora" (
	"corpus" text NOT NULL,
	"generation" text NOT NULL,
	"line" bigint NOT NULL,
	"text" text NOT NULL,
	CONSTRAINT "router_corpora_corpus_generation_line_pk" PRIMARY KEY("corpus","generation","line")
);
--> statement-breakpoint
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
