ALTER TABLE "response_items" DROP CONSTRAINT "response_items_pkey";--> statement-breakpoint
ALTER TABLE "response_items" ADD CONSTRAINT "response_items_id_response_id_pk" PRIMARY KEY("id","response_id");
