-- WITHOUT ROWID is added by hand: drizzle cannot say it, and it halves these tables.
CREATE TABLE `aliases` (
	`old` text PRIMARY KEY NOT NULL,
	`new` text NOT NULL
);
--> statement-breakpoint
CREATE TABLE `archive` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`kind` text NOT NULL,
	`reason` text,
	`item_id` integer,
	`replaced_by` integer,
	`text` text,
	`observation_id` integer,
	`statements` text,
	`detail` text
);
--> statement-breakpoint
CREATE INDEX `archive_by_revision` ON `archive` (`digest_id`,`revision`);--> statement-breakpoint
CREATE TABLE `calls` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`at` integer NOT NULL,
	`purpose` text NOT NULL,
	`project` text NOT NULL,
	`type` text NOT NULL,
	`model` text NOT NULL,
	`prompt_version` text NOT NULL,
	`batch_rows` integer NOT NULL,
	`input_tokens` integer NOT NULL,
	`output_tokens` integer DEFAULT 0 NOT NULL,
	`cost_usd` real,
	`outcome` text NOT NULL,
	`reason` text
);
--> statement-breakpoint
CREATE INDEX `calls_by_time` ON `calls` (`at`);--> statement-breakpoint
CREATE TABLE `digests` (
	`id` integer PRIMARY KEY NOT NULL,
	`project_id` integer NOT NULL,
	`type` text NOT NULL,
	`revision` integer DEFAULT 0 NOT NULL,
	`source_max_id` integer DEFAULT 0 NOT NULL,
	`source_max_epoch` integer DEFAULT 0 NOT NULL,
	`items_made` integer DEFAULT 0 NOT NULL,
	`units` integer DEFAULT 0 NOT NULL,
	`behind` integer DEFAULT 0 NOT NULL,
	`updated_at` integer NOT NULL,
	FOREIGN KEY (`project_id`) REFERENCES `projects`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE UNIQUE INDEX `digests_cell` ON `digests` (`project_id`,`type`);--> statement-breakpoint
CREATE TABLE `failures` (
	`id` integer PRIMARY KEY NOT NULL,
	`run_id` integer NOT NULL,
	`at` integer NOT NULL,
	`project` text NOT NULL,
	`type` text NOT NULL,
	`code` text NOT NULL,
	`reason` text NOT NULL,
	`findings` text,
	`settled` integer DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE `item_sources` (
	`item_id` integer NOT NULL,
	`observation_id` integer NOT NULL,
	PRIMARY KEY(`item_id`, `observation_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `items` (
	`id` integer PRIMARY KEY NOT NULL,
	`digest_id` integer NOT NULL,
	`text` text NOT NULL,
	`first_epoch` integer NOT NULL,
	`last_epoch` integer NOT NULL,
	`confirmations` integer NOT NULL,
	`pinned` integer NOT NULL,
	`origin` text NOT NULL,
	`rank` real NOT NULL,
	FOREIGN KEY (`digest_id`) REFERENCES `digests`(`id`) ON UPDATE no action ON DELETE no action
);
--> statement-breakpoint
CREATE INDEX `items_by_rank` ON `items` (`digest_id`,`rank`);--> statement-breakpoint
CREATE TABLE `ledger` (
	`observation_id` integer NOT NULL,
	`digest_id` integer NOT NULL,
	`project_id` integer NOT NULL,
	`outcome` text NOT NULL,
	`stands_for` integer,
	`reason` text,
	`revision` integer NOT NULL,
	`fingerprint` integer NOT NULL,
	`title_key` integer NOT NULL,
	`units` integer NOT NULL,
	`source_revision` integer,
	PRIMARY KEY(`observation_id`, `digest_id`)
) WITHOUT ROWID;
--> statement-breakpoint
CREATE INDEX `ledger_by_title` ON `ledger` (`title_key`) WHERE (outcome = 'f' OR reason = 'near-duplicate');--> statement-breakpoint
CREATE INDEX `ledger_by_stand_in` ON `ledger` (`stands_for`) WHERE stands_for IS NOT NULL;--> statement-breakpoint
CREATE TABLE `meta` (
	`key` text PRIMARY KEY NOT NULL,
	`value` text NOT NULL
) WITHOUT ROWID;
--> statement-breakpoint
CREATE TABLE `projects` (
	`id` integer PRIMARY KEY NOT NULL,
	`name` text NOT NULL,
	`observations` integer DEFAULT 0 NOT NULL,
	`raw_tokens` integer DEFAULT 0 NOT NULL,
	`recent50_tokens` integer DEFAULT 0 NOT NULL,
	`recent50_rows` integer DEFAULT 0 NOT NULL,
	`behind` integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE UNIQUE INDEX `projects_name_unique` ON `projects` (`name`);--> statement-breakpoint
CREATE TABLE `revisions` (
	`digest_id` integer NOT NULL,
	`revision` integer NOT NULL,
	`run_id` integer NOT NULL,
	`at` integer NOT NULL,
	`merge` text NOT NULL,
	`folded` integer NOT NULL,
	`duplicates` integer NOT NULL,
	`delta` text NOT NULL,
	`findings` text,
	PRIMARY KEY(`digest_id`, `revision`)
);
--> statement-breakpoint
CREATE TABLE `runs` (
	`id` integer PRIMARY KEY NOT NULL,
	`started_at` integer NOT NULL,
	`finished_at` integer,
	`command` text NOT NULL,
	`model` text NOT NULL,
	`outcome` text NOT NULL,
	`reason` text,
	`folded` integer DEFAULT 0 NOT NULL,
	`duplicates` integer DEFAULT 0 NOT NULL,
	`skipped` integer DEFAULT 0 NOT NULL
);
