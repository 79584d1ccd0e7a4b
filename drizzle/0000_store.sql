CREATE TABLE `blob_uses` (
	`sha256` blob NOT NULL,
	`session_id` integer NOT NULL,
	PRIMARY KEY(`sha256`, `session_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `blob_uses_by_session` ON `blob_uses` (`session_id`);--> statement-breakpoint
CREATE TABLE `blobs` (
	`sha256` blob PRIMARY KEY NOT NULL,
	`media_type` text NOT NULL,
	`byte_length` integer NOT NULL,
	`width` integer,
	`height` integer,
	`data` blob NOT NULL
);
--> statement-breakpoint
CREATE TABLE `blocks` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`stream_id` integer NOT NULL,
	`first_no` integer NOT NULL,
	`count` integer NOT NULL,
	`codec` integer NOT NULL,
	`data` blob NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `blocks_in_stream` ON `blocks` (`stream_id`,`first_no`);--> statement-breakpoint
CREATE INDEX `blocks_fast` ON `blocks` (`stream_id`,`first_no`) WHERE "blocks"."codec" = 1;--> statement-breakpoint
CREATE TABLE `cursors` (
	`unit_id` integer PRIMARY KEY NOT NULL,
	`cursor` text NOT NULL,
	FOREIGN KEY (`unit_id`) REFERENCES `units`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE TABLE `erased` (
	`uid` blob PRIMARY KEY NOT NULL,
	`erased_at` integer NOT NULL
);
--> statement-breakpoint
CREATE TABLE `journal` (
	`position` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`session_id` integer NOT NULL,
	`seq` integer NOT NULL,
	`type` integer NOT NULL,
	`time` integer NOT NULL,
	`message_id` integer,
	`part_id` integer,
	`data` text
);
--> statement-breakpoint
CREATE UNIQUE INDEX `journal_by_seq` ON `journal` (`session_id`,`seq`) WHERE "journal"."seq" >= 0;--> statement-breakpoint
CREATE TABLE `message_titles` (
	`source_id` integer NOT NULL,
	`message_native_id` text NOT NULL,
	`title` text NOT NULL,
	`unit_key` text NOT NULL,
	PRIMARY KEY(`source_id`, `message_native_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `messages` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`native_id` text NOT NULL,
	`order_key` text NOT NULL,
	`role` integer NOT NULL,
	`time` integer NOT NULL,
	`time_origin` integer NOT NULL,
	`parent_native_id` text,
	`model_id` integer,
	`provider_id` integer,
	`is_meta` integer NOT NULL,
	`is_sidechain` integer NOT NULL,
	`is_on_active_path` integer NOT NULL,
	`is_removed` integer DEFAULT false NOT NULL,
	`is_inherited` integer NOT NULL,
	`copy_key` integer,
	`is_shared_id` integer DEFAULT false NOT NULL,
	`copy_origin` text,
	`is_billed_elsewhere` integer DEFAULT false NOT NULL,
	`agent_id` text,
	`stop_reason` text,
	`error` text,
	`is_response` integer NOT NULL,
	`has_usage` integer NOT NULL,
	`input_tokens` integer,
	`output_tokens` integer,
	`reasoning_tokens` integer,
	`cache_read_tokens` integer,
	`cache_write_tokens` integer,
	`cache_write_long_tokens` integer,
	`cost_nanos` integer,
	`turn_duration_ms` integer,
	`cwd_id` integer,
	`skill` text,
	`compaction` text,
	`stream_id` integer,
	`record_no` integer,
	`more_records` text,
	`is_conversational` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `messages_by_native` ON `messages` (`session_id`,`native_id`);--> statement-breakpoint
CREATE INDEX `messages_in_order` ON `messages` (`session_id`,`order_key`);--> statement-breakpoint
CREATE INDEX `messages_by_copy` ON `messages` (`copy_key`) WHERE "messages"."copy_key" is not null;--> statement-breakpoint
CREATE INDEX `messages_prompts` ON `messages` (`session_id`,`order_key`) WHERE "messages"."role" = 1 and "messages"."is_conversational" = 1 and "messages"."is_meta" = 0;--> statement-breakpoint
CREATE INDEX `messages_compacted` ON `messages` (`session_id`) WHERE "messages"."compaction" is not null;--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `names` (
	`id` integer PRIMARY KEY NOT NULL,
	`value` text NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `names_value_unique` ON `names` (`value`);--> statement-breakpoint
CREATE TABLE `origins` (
	`id` integer PRIMARY KEY NOT NULL,
	`uid` text NOT NULL,
	`name` text NOT NULL,
	`is_local` integer NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `origins_uid_unique` ON `origins` (`uid`);--> statement-breakpoint
CREATE TABLE `parts` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`message_id` integer NOT NULL,
	`native_id` text NOT NULL,
	`ordinal` integer NOT NULL,
	`kind` integer NOT NULL,
	`provenance` integer NOT NULL,
	`is_split_off` integer NOT NULL,
	`is_removed` integer DEFAULT false NOT NULL,
	`stream_id` integer,
	`record_no` integer,
	`place` text NOT NULL,
	`preview` text,
	`text_length` integer,
	`json_bytes` integer,
	`is_whole` integer NOT NULL,
	`pair` text,
	`name` text,
	`category` integer,
	`status` integer,
	`blob` blob,
	`detail` text,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `parts_by_native` ON `parts` (`session_id`,`native_id`);--> statement-breakpoint
CREATE INDEX `parts_in_order` ON `parts` (`message_id`,`ordinal`);--> statement-breakpoint
CREATE INDEX `parts_by_pair` ON `parts` (`session_id`,`pair`) WHERE "parts"."pair" is not null;--> statement-breakpoint
CREATE INDEX `parts_calls` ON `parts` (`session_id`,`message_id`,`ordinal`) WHERE "parts"."category" is not null;--> statement-breakpoint
CREATE INDEX `parts_running` ON `parts` (`session_id`) WHERE "parts"."status" = 0;--> statement-breakpoint
CREATE INDEX `parts_by_blob` ON `parts` (`blob`) WHERE "parts"."blob" is not null;--> statement-breakpoint
CREATE TABLE `problems` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`source_id` integer NOT NULL,
	`kind` integer NOT NULL,
	`location` text NOT NULL,
	`message` text NOT NULL,
	`unit_key` text,
	`root_id` integer,
	`session_id` integer,
	`run_id` integer NOT NULL,
	`count` integer NOT NULL,
	`first_seen_at` integer NOT NULL,
	`last_seen_at` integer NOT NULL,
	`resolved_at` integer,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `problems_by_place` ON `problems` (`source_id`,`kind`,`location`);--> statement-breakpoint
CREATE INDEX `problems_by_run` ON `problems` (`run_id`);--> statement-breakpoint
CREATE INDEX `problems_by_unit` ON `problems` (`root_id`,`unit_key`);--> statement-breakpoint
CREATE INDEX `problems_by_seen` ON `problems` (`last_seen_at`,`id`);--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY NOT NULL,
	`origin_id` integer NOT NULL,
	`path` text NOT NULL,
	`path_key` text NOT NULL,
	`repository` text,
	`is_worktree` integer NOT NULL,
	`last_activity_at` integer NOT NULL,
	FOREIGN KEY (`origin_id`) REFERENCES `origins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_by_path` ON `projects` (`origin_id`,`path_key`);--> statement-breakpoint
CREATE INDEX `projects_by_activity` ON `projects` (`last_activity_at`,`id`);--> statement-breakpoint
CREATE TABLE `records` (
	`stream_id` integer NOT NULL,
	`no` integer NOT NULL,
	`type_id` integer NOT NULL,
	`byte_length` integer NOT NULL,
	`line` integer,
	`key` text,
	`digest` integer,
	`is_mapped` integer NOT NULL,
	`blobs` blob,
	PRIMARY KEY(`stream_id`, `no`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE UNIQUE INDEX `records_by_key` ON `records` (`stream_id`,`key`) WHERE "records"."key" is not null;--> statement-breakpoint
CREATE TABLE `roots` (
	`id` integer PRIMARY KEY NOT NULL,
	`source_id` integer NOT NULL,
	`origin_id` integer NOT NULL,
	`path` text NOT NULL,
	`status` integer NOT NULL,
	`generations` text NOT NULL,
	`warnings` text NOT NULL,
	`is_configured` integer NOT NULL,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`origin_id`) REFERENCES `origins`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `roots_by_path` ON `roots` (`origin_id`,`source_id`,`path`);--> statement-breakpoint
CREATE TABLE `run_problems` (
	`run_id` integer NOT NULL,
	`problem_id` integer NOT NULL,
	PRIMARY KEY(`run_id`, `problem_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `sessions` (
	`id` integer PRIMARY KEY NOT NULL,
	`uid` blob NOT NULL,
	`origin_id` integer NOT NULL,
	`source_id` integer NOT NULL,
	`native_id` text NOT NULL,
	`root_id` integer,
	`source_path` text,
	`kind` integer NOT NULL,
	`agent` text NOT NULL,
	`title` text,
	`title_origin` integer,
	`project_id` integer,
	`git_branch` text,
	`client_version` text,
	`share_url` text,
	`parent_id` integer,
	`parent_native_id` text,
	`relation` integer,
	`parent_pair` text,
	`parent_message_native_id` text,
	`created_at` integer NOT NULL,
	`created_at_origin` integer NOT NULL,
	`updated_at` integer NOT NULL,
	`last_activity_at` integer NOT NULL,
	`archived_at` integer,
	`is_source_missing` integer DEFAULT false NOT NULL,
	`reverted_from` text,
	`reverted_from_key` text,
	`message_count` integer DEFAULT 0 NOT NULL,
	`inherited_message_count` integer DEFAULT 0 NOT NULL,
	`prompt_count` integer DEFAULT 0 NOT NULL,
	`tool_call_count` integer DEFAULT 0 NOT NULL,
	`failed_tool_call_count` integer DEFAULT 0 NOT NULL,
	`models` text NOT NULL,
	`part_counts` text NOT NULL,
	`total_tokens` integer,
	`cost_nanos` integer,
	`record_stream_id` integer,
	`record_no` integer,
	`revision` integer NOT NULL,
	`epoch` text NOT NULL,
	`next_seq` integer DEFAULT 0 NOT NULL,
	`is_starred` integer DEFAULT false NOT NULL,
	`note` text,
	FOREIGN KEY (`origin_id`) REFERENCES `origins`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`source_id`) REFERENCES `sources`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`root_id`) REFERENCES `roots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sessions_by_uid` ON `sessions` (`uid`);--> statement-breakpoint
CREATE INDEX `sessions_by_native` ON `sessions` (`native_id`);--> statement-breakpoint
CREATE INDEX `sessions_by_parent` ON `sessions` (`parent_id`) WHERE "sessions"."parent_id" is not null;--> statement-breakpoint
CREATE INDEX `sessions_by_parent_native` ON `sessions` (`parent_native_id`) WHERE "sessions"."parent_native_id" is not null;--> statement-breakpoint
CREATE INDEX `sessions_by_project` ON `sessions` (`project_id`,`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_updated` ON `sessions` (`updated_at`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_created` ON `sessions` (`created_at`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_activity` ON `sessions` (`last_activity_at`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_messages` ON `sessions` (`message_count`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_tokens` ON `sessions` (`total_tokens`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_cost` ON `sessions` (`cost_nanos`,`id`);--> statement-breakpoint
CREATE INDEX `sessions_by_title` ON `sessions` (`title`,`id`);--> statement-breakpoint
CREATE TABLE `sources` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`title` text NOT NULL,
	`is_enabled` integer NOT NULL,
	`last_synced_at` integer,
	`retention_days` integer
);
--> statement-breakpoint
CREATE UNIQUE INDEX `sources_name_unique` ON `sources` (`name`);--> statement-breakpoint
CREATE TABLE `streams` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`unit_id` integer NOT NULL,
	`generation` integer NOT NULL,
	`path` text NOT NULL,
	`is_keyed` integer NOT NULL,
	`record_count` integer DEFAULT 0 NOT NULL,
	`sealed_count` integer DEFAULT 0 NOT NULL,
	`tail_bytes` integer DEFAULT 0 NOT NULL,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`unit_id`) REFERENCES `units`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `streams_by_unit` ON `streams` (`session_id`,`unit_id`,`generation`);--> statement-breakpoint
CREATE INDEX `streams_by_session` ON `streams` (`session_id`);--> statement-breakpoint
CREATE INDEX `streams_to_seal` ON `streams` (`id`) WHERE "streams"."tail_bytes" > 0;--> statement-breakpoint
CREATE TABLE `subagents` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`agent_id` text NOT NULL,
	`agent_type` text,
	`description` text,
	`duration_ms` integer,
	`total_tokens` integer,
	`pair` text,
	`child_native_id` text,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `subagents_by_agent` ON `subagents` (`session_id`,`agent_id`);--> statement-breakpoint
CREATE TABLE `summaries` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`native_id` text NOT NULL,
	`kind` text NOT NULL,
	`time` integer,
	`content` text,
	`message_id` integer,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade,
	FOREIGN KEY (`message_id`) REFERENCES `messages`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `summaries_by_native` ON `summaries` (`session_id`,`native_id`);--> statement-breakpoint
CREATE TABLE `sync_runs` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`status` integer NOT NULL,
	`trigger` integer NOT NULL,
	`started_at` integer NOT NULL,
	`ended_at` integer,
	`sources` text,
	`verify` integer NOT NULL,
	`progress` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `tags` (
	`session_id` integer NOT NULL,
	`tag` text NOT NULL,
	PRIMARY KEY(`session_id`, `tag`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `tags_by_tag` ON `tags` (`tag`);--> statement-breakpoint
CREATE TABLE `tail` (
	`stream_id` integer NOT NULL,
	`no` integer NOT NULL,
	`data` blob NOT NULL,
	PRIMARY KEY(`stream_id`, `no`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `touches` (
	`part_id` integer NOT NULL,
	`ordinal` integer NOT NULL,
	`session_id` integer NOT NULL,
	`path` text NOT NULL,
	`path_key` text NOT NULL,
	`kind` integer NOT NULL,
	`moved_to` text,
	`additions` integer,
	`deletions` integer,
	`diff_place` text,
	PRIMARY KEY(`part_id`, `ordinal`),
	FOREIGN KEY (`part_id`) REFERENCES `parts`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `touches_by_path` ON `touches` (`path_key`,`session_id`);--> statement-breakpoint
CREATE INDEX `touches_by_session` ON `touches` (`session_id`);--> statement-breakpoint
CREATE TABLE `turn_durations` (
	`session_id` integer NOT NULL,
	`message_native_id` text NOT NULL,
	`duration_ms` integer NOT NULL,
	PRIMARY KEY(`session_id`, `message_native_id`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `units` (
	`id` integer PRIMARY KEY NOT NULL,
	`root_id` integer NOT NULL,
	`key` text NOT NULL,
	`stamp` text,
	`session_id` integer,
	`is_missing` integer DEFAULT false NOT NULL,
	FOREIGN KEY (`root_id`) REFERENCES `roots`(`id`) ON UPDATE no action ON DELETE no action,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `units_by_key` ON `units` (`root_id`,`key`);--> statement-breakpoint
CREATE INDEX `units_by_session` ON `units` (`session_id`) WHERE "units"."session_id" is not null;--> statement-breakpoint
CREATE TABLE `usage_quarters` (
	`quarter` integer NOT NULL,
	`session_id` integer NOT NULL,
	`model_id` integer NOT NULL,
	`tier` integer NOT NULL,
	`is_inherited` integer NOT NULL,
	`input_tokens` integer,
	`output_tokens` integer,
	`reasoning_tokens` integer,
	`cache_read_tokens` integer,
	`cache_write_tokens` integer,
	`cache_write_long_tokens` integer,
	`cost_nanos` integer,
	`responses` integer NOT NULL,
	`responses_without_usage` integer NOT NULL,
	`responses_without_cost` integer NOT NULL,
	PRIMARY KEY(`quarter`, `session_id`, `model_id`, `tier`, `is_inherited`),
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `usage_by_session` ON `usage_quarters` (`session_id`);--> statement-breakpoint
CREATE TABLE `workflow_agents` (
	`id` integer PRIMARY KEY NOT NULL,
	`workflow_id` integer NOT NULL,
	`agent_id` text NOT NULL,
	`agent_type` text,
	`description` text,
	`phase` text,
	`label` text,
	`model` text,
	`state` text,
	`duration_ms` integer,
	`tokens` integer,
	`tool_calls` integer,
	`child_native_id` text,
	FOREIGN KEY (`workflow_id`) REFERENCES `workflows`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflow_agents_by_agent` ON `workflow_agents` (`workflow_id`,`agent_id`);--> statement-breakpoint
CREATE TABLE `workflows` (
	`id` integer PRIMARY KEY NOT NULL,
	`session_id` integer NOT NULL,
	`run_id` text NOT NULL,
	`task_id` text,
	`pair` text,
	`name` text,
	`status` text,
	`time` integer,
	`duration_ms` integer,
	`total_tokens` integer,
	`script` text,
	`result` text,
	FOREIGN KEY (`session_id`) REFERENCES `sessions`(`id`) ON UPDATE no action ON DELETE cascade
);
--> statement-breakpoint
CREATE UNIQUE INDEX `workflows_by_run` ON `workflows` (`session_id`,`run_id`);