ALTER TABLE `cursors` ADD `codec` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `cursors` ADD `data` blob DEFAULT x'' NOT NULL;