-- Cursors are made anew by the next look at their units.
DELETE FROM `cursors`;--> statement-breakpoint
ALTER TABLE `cursors` DROP COLUMN `cursor`;