ALTER TABLE `sessions` ADD `ending` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `ended_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `changed_at` integer DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE `sessions` ADD `shifts_at` integer;--> statement-breakpoint
CREATE INDEX `sessions_by_change` ON `sessions` (`changed_at`,`ending`);--> statement-breakpoint
CREATE INDEX `sessions_by_shift` ON `sessions` (`shifts_at`) WHERE "sessions"."shifts_at" is not null;