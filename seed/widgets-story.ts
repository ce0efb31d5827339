import { type About, type Note, note } from "./note.ts";

/**
 * What happened in `widgets-api`, told once by hand: threads in which a later note makes an earlier one
 * wrong. A good digest keeps the end of each thread and says nothing of its beginning.
 */
export const WIDGETS_STORY: readonly Note[] = [
  // The port: 3000, then 8080.
  told(1, decision("src/server.ts"), {
    title: "The API listens on port 3000",
    subtitle: "First deployable version of widgets-api",
    narrative:
      "widgets-api has an HTTP server that a container can run. The compose file maps its port to the host, and the health check asks /healthz every 10 seconds.",
    facts: [
      "The API listens on port 3000",
      "PORT overrides it",
      "GET /healthz answers 200 without touching the database",
    ],
  }),
  told(61, decision("src/server.ts", "compose.yaml"), {
    title: "The API port moved from 3000 to 8080",
    subtitle: "Grafana of the shared development host took 3000",
    narrative:
      "Grafana on the shared development host listens on 3000 as well, so that half of the team reached dashboards instead of the API. The API listens on port 8080 now, everywhere: default of PORT, compose file, health check and the ingress of staging were changed together.",
    facts: [
      "The API listens on port 8080 instead of 3000",
      "compose.yaml maps 8080:8080; the health check asks http://localhost:8080/healthz",
      "Nothing listens on port 3000 any more",
    ],
  }),

  // The queue: Redis lists, then Postgres.
  told(4, decision("src/queue/redis.ts"), {
    title: "Background jobs run over Redis lists with BRPOPLPUSH",
    subtitle: "Chosen over RabbitMQ for having one service less",
    narrative:
      "Jobs (thumbnails, webhooks, exports) are pushed to a Redis list per kind and taken with BRPOPLPUSH into a processing list. Redis is there for the cache anyway, RabbitMQ would have been one more service to run and nobody in the team knows it.",
    facts: [
      "Job queues are Redis lists named jobs:KIND",
      "A worker takes jobs with BRPOPLPUSH into jobs:KIND:processing",
      "RabbitMQ was rejected: one more service to operate",
    ],
  }),
  told(33, discovery("gotcha", "src/queue/redis.ts"), {
    title: "Jobs vanish when Redis is restarted without AOF",
    subtitle: "41 exports were never delivered on 4 October",
    narrative:
      "The Redis of production runs with snapshots every 15 minutes and no append-only file. When it was restarted for an update, 41 export jobs that had been queued after the last snapshot were gone. Nothing noticed, since the API had answered 202 for each of them.",
    facts: [
      "Redis in production has no AOF: a restart loses up to 15 minutes of jobs",
      "41 export jobs were lost at the restart of 4 October",
      "POST /exports answers 202 before the job is durable",
    ],
  }),
  told(36, decision("src/queue/postgres.ts", "migrations/0042_jobs.sql"), {
    title: "The job queue moved from Redis lists to Postgres with SKIP LOCKED",
    subtitle: "Jobs are committed with the data that they are about",
    narrative:
      "Jobs are rows of the table jobs now, written in the same transaction as the order or export that they belong to, and taken with SELECT … FOR UPDATE SKIP LOCKED. Redis is used as a cache only. Throughput fell from about 3,000 to 900 jobs a second, and we need 40.",
    facts: [
      "The job queue is the Postgres table jobs, taken with FOR UPDATE SKIP LOCKED",
      "Redis lists are no longer used for jobs; Redis is a cache only",
      "The Postgres queue does 900 jobs a second, the peak need is 40",
      "src/queue/redis.ts was deleted",
    ],
  }),

  // Validation: joi, then zod.
  told(6, decision("src/http/validate.ts"), {
    title: "Requests are validated with joi",
    subtitle: "One schema a route, in src/http/schemas",
    narrative:
      "Every route declares a joi schema for body, query and params. The schema runs before the handler, and its first error becomes a 422 with the path of the field. Types of the handlers are written by hand beside the schemas for now.",
    facts: [
      "Requests are validated with joi in src/http/validate.ts",
      "A failed validation answers 422 with the field's path",
    ],
  }),
  told(88, decision("src/http/validate.ts", "src/http/schemas"), {
    title: "Validation switched from joi to zod",
    subtitle: "The types of the handlers follow from the schemas",
    narrative:
      "The hand-written types beside the joi schemas had drifted in nine routes, twice with a bug in production. All 34 schemas were rewritten for zod and the types are inferred from them. joi is gone from package.json. Error bodies stayed the same, a contract test compares them.",
    facts: [
      "Requests are validated with zod instead of joi",
      "Handler types are inferred from the zod schemas with z.infer",
      "test/http/errors.contract.test.ts pins the 422 bodies",
      "joi was removed from package.json",
    ],
  }),

  // Soft deletes: introduced, then reversed.
  told(19, decision("migrations/0023_deleted_at.sql"), {
    title: "Widgets are soft-deleted with deleted_at",
    subtitle: "Support wants to be able to bring them back",
    narrative:
      "DELETE /widgets/:id sets deleted_at and leaves the row. Every query on widgets has to add deleted_at IS NULL, for which there is a view live_widgets. Support can restore a widget for 30 days.",
    facts: [
      "DELETE /widgets/:id sets deleted_at",
      "Queries use the view live_widgets",
      "A widget can be restored for 30 days",
    ],
  }),
  told(74, discovery("gotcha", "src/widgets/search.ts"), {
    title: "Three queries forgot deleted_at and showed deleted widgets",
    subtitle: "Search, the export and the partner feed",
    narrative:
      "Search, CSV export and the partner feed read the table widgets directly and not the view, so that deleted widgets stayed visible for weeks. A partner sold eleven of them. It is the third time that a new query forgets the condition.",
    facts: [
      "src/widgets/search.ts, src/exports/csv.ts and src/feeds/partner.ts read widgets without deleted_at IS NULL",
      "Eleven deleted widgets were sold through the partner feed",
    ],
  }),
  told(79, decision("migrations/0061_deleted_widgets.sql", "src/widgets/delete.ts"), {
    title: "Soft deletes were reversed: rows move to deleted_widgets",
    subtitle: "The condition that every query needs cannot be forgotten any more",
    narrative:
      "DELETE /widgets/:id moves the row to the table deleted_widgets in one transaction. The column deleted_at and the view live_widgets were dropped. Restoring is an INSERT … SELECT back, still within 30 days, after which a job purges the row.",
    facts: [
      "DELETE /widgets/:id no longer sets deleted_at, it moves the row to deleted_widgets",
      "The view live_widgets was dropped",
      "purge-deleted runs at 03:10 and removes rows older than 30 days",
    ],
  }),

  // A dead end: the leak that was not in ws.
  told(97, discovery("gotcha", "src/live/socket.ts"), {
    title: "Memory grows by 40 MB an hour, probably a leak in ws",
    subtitle: "Not verified; the heap snapshots are still to be read",
    narrative:
      "The API process grows by about 40 MB an hour since the live updates went out. The sockets library ws is the likely cause, because the growth follows the number of reconnects. This is not verified yet: two heap snapshots were taken, nobody has compared them.",
    facts: ["The API grows by about 40 MB an hour", "ws is probably leaking closed sockets (not verified)"],
  }),
  told(99, about("bugfix", ["problem-solution", "gotcha"], "src/live/presence.ts"), {
    title: "The memory leak was our presence cache, not ws",
    subtitle: "A Map without a bound, keyed by connection id",
    narrative:
      "Comparing the heap snapshots showed 210,000 entries in the Map of src/live/presence.ts, keyed by connection id and never removed. ws is not to blame. The Map became an LRU of 5,000 entries that also drops an entry when its socket closes; the process stays at 310 MB since.",
    facts: [
      "The API no longer grows: the leak was the unbounded Map in src/live/presence.ts and not ws",
      "The presence cache is an LRU of 5,000 entries",
      "The API stays at about 310 MB",
    ],
  }),

  // Retries and lifetimes: numbers that changed.
  told(12, decision("src/webhooks/retry.ts"), {
    title: "Webhooks are retried 3 times, with 10 seconds between",
    subtitle: "Enough for a restart of the receiver",
    narrative:
      "A webhook that is not answered with 2xx within 5 seconds is tried again up to 3 times, 10 seconds apart. After that the delivery is marked failed and shows in the partner's dashboard.",
    facts: ["Webhooks are retried 3 times, 10 seconds apart", "A receiver has 5 seconds to answer with 2xx"],
  }),
  told(52, decision("src/webhooks/retry.ts"), {
    title: "Webhook retries raised from 3 to 8, with exponential backoff",
    subtitle: "Partners have outages of an hour",
    narrative:
      "Three tries within half a minute lost every delivery during a partner's outage of 50 minutes. Webhooks are now retried 8 times with exponential backoff from 15 seconds to 4 hours and full jitter. The signature's timestamp is renewed at each try, since receivers refuse old ones.",
    facts: [
      "Webhooks are retried 8 times instead of 3, from 15 seconds to 4 hours, with full jitter",
      "X-Widgets-Signature carries a fresh timestamp at each try",
    ],
  }),
  told(15, decision("src/auth/session.ts"), {
    title: "Access tokens live 60 minutes",
    subtitle: "With a refresh token of 30 days",
    narrative:
      "Sessions are a signed access token of 60 minutes and a refresh token of 30 days that is stored hashed in the table sessions. A refresh rotates both, and an old refresh token that shows up again revokes the whole family.",
    facts: [
      "Access tokens live 60 minutes",
      "Refresh tokens live 30 days and rotate at each use",
      "A reused refresh token revokes the family",
    ],
  }),
  told(120, decision("src/auth/session.ts"), {
    title: "Access token lifetime shortened from 60 to 10 minutes",
    subtitle: "Finding of the security review",
    narrative:
      "The review asked that a stolen access token be useless soon. Access tokens live 10 minutes now; clients refresh a minute before the end. The load of POST /auth/refresh rose from 2 to 11 requests a second, which is fine.",
    facts: ["Access tokens live 10 minutes instead of 60", "Clients refresh one minute before expiry"],
  }),

  // Tools: node to bun, jest to vitest.
  told(9, decision("package.json"), {
    title: "Tests run with jest and ts-jest",
    subtitle: "Because everybody knows it",
    narrative:
      "The test suite uses jest with ts-jest. It takes 48 seconds for 210 tests, of which most is transpilation. Database tests get a schema of their own per worker.",
    facts: ["Tests run with jest and ts-jest", "Each jest worker has its own Postgres schema test_N"],
  }),
  told(111, decision("package.json", "vitest.config.ts"), {
    title: "The test runner changed from jest to vitest",
    subtitle: "48 seconds became 13",
    narrative:
      "ts-jest could not follow the switch to ES modules. The 412 tests run under vitest now, in 13 seconds instead of 48. Fake timers had to be rewritten in six files, everything else was a rename.",
    facts: [
      "Tests run with vitest instead of jest; 412 tests take 13 seconds",
      "Each vitest worker still has its own Postgres schema test_N",
      "vi.useFakeTimers() must list what it fakes, or the Postgres client hangs",
    ],
  }),

  // One repository, then two, then one again.
  told(43, decision("packages/client"), {
    title: "The TypeScript client moves to a repository of its own",
    subtitle: "So that its releases do not wait for the API",
    narrative:
      "The client package leaves the monorepo for widgets-client, with its own versions and releases. The OpenAPI document is published as an artefact and the client is generated from it.",
    facts: [
      "The client lives in the repository widgets-client",
      "It is generated from the published openapi.json",
    ],
  }),
  told(131, decision("packages/client", "packages/client/generate.ts"), {
    title: "The client came back into the monorepo",
    subtitle: "The split cost more than it gave",
    narrative:
      "Every change of the API needed two pull requests, and the client was out of step for a mean of nine days. We decided against the separate repository: the client is packages/client again, generated and tested in the same pull request, and released by a tag. widgets-client is archived.",
    facts: [
      "The client lives in packages/client of this repository again; widgets-client is archived",
      "bun run generate:client writes packages/client/src/generated.ts; CI fails when it is stale",
    ],
  }),

  // Things that stay true.
  told(8, decision("src/money.ts"), {
    title: "Money is kept as integer cents with a currency code",
    subtitle: "Never as a float, nowhere",
    narrative:
      "Prices and totals are integers in the smallest unit of the currency and travel with an ISO 4217 code. Rounding happens in one place, src/money.ts, half to even. JPY and KWD are tested because their exponents are 0 and 3.",
    facts: [
      "Money is an integer in the currency's smallest unit plus an ISO 4217 code",
      "Only src/money.ts rounds, half to even",
      "The exponent of JPY is 0, of KWD 3",
    ],
  }),
  told(22, pattern("src/http/idempotency.ts"), {
    title: "Every POST that costs money takes an Idempotency-Key",
    subtitle: "Answers are kept for 24 hours",
    narrative:
      "POST /orders, /refunds and /exports require an Idempotency-Key. The first answer is stored with a hash of the body for 24 hours; the same key with another body answers 409. The key is taken before the handler runs, in the handler's own transaction.",
    facts: [
      "POST /orders, /refunds and /exports require Idempotency-Key",
      "The same key with another body answers 409",
      "Answers are kept for 24 hours in the table idempotency_keys",
    ],
  }),
  told(27, about("discovery", ["why-it-exists"], "src/outbox/relay.ts"), {
    title: "Why there is an outbox between orders and the event bus",
    subtitle: "A crash between COMMIT and publish lost events",
    narrative:
      "Orders were committed first and published to the bus afterwards. Each crash in between lost an event for good, and billing noticed weeks later. Events are now rows of the table outbox, written with the order, and src/outbox/relay.ts publishes them at least once.",
    facts: [
      "The table outbox exists so that an order and its event are committed together",
      "src/outbox/relay.ts publishes at least once; consumers must drop repeats by event_id",
    ],
  }),
  told(30, tradeOff("src/search/index.ts"), {
    title: "Search uses Postgres full text and not a search engine",
    subtitle: "Good enough up to about two million widgets",
    narrative:
      "tsvector with a GIN index answers in 35 ms at 800,000 widgets. Typo tolerance is missing and ranking is crude. A search engine would give both, at the price of a second copy of the data that has to be kept in step. We stay with Postgres until the count passes two million or somebody pays for typo tolerance.",
    facts: [
      "Search is Postgres tsvector with a GIN index: 35 ms at 800,000 widgets",
      "No typo tolerance; to be looked at again at two million widgets",
    ],
  }),
  told(40, discovery("how-it-works", "src/http/rate-limit.ts"), {
    title: "How the rate limiter counts",
    subtitle: "A sliding window per API key, in Redis",
    narrative:
      "Each API key has two buckets in Redis, of this minute and of the one before. The estimate is the current count plus the earlier one weighted by the part of it that the window still covers. Limits come from the plan: 60, 600 or 6,000 a minute. When Redis is down, requests pass and a counter goes up.",
    facts: [
      "The limiter is a sliding window over two one-minute buckets per API key",
      "Plans allow 60, 600 or 6,000 requests a minute",
      "The limiter fails open: without Redis requests pass, rate_limit_bypassed_total counts them",
    ],
  }),
  told(47, discovery("gotcha", "src/db/pool.ts"), {
    title: "PgBouncer in transaction mode breaks prepared statements and advisory locks",
    subtitle: "Use the direct connection for migrations",
    narrative:
      'Connections through PgBouncer on 6432 change between transactions. Named prepared statements fail there with "prepared statement does not exist", and a session-level advisory lock is released by somebody else. Migrations and the scheduler connect directly to 5432.',
    facts: [
      "PgBouncer (6432) runs in transaction mode: no named prepared statements, no session advisory locks",
      "Migrations and src/scheduler use DIRECT_DATABASE_URL on 5432",
    ],
  }),
  told(58, about("security_alert", ["problem-solution", "gotcha"], "src/webhooks/target.ts"), {
    title: "Webhook targets could reach the metadata service",
    subtitle: "Server-side request forgery, found by a partner",
    narrative:
      "A partner registered http://169.254.169.254/ as a webhook target and got credentials of the instance in the failure log. Targets are resolved first, private and link-local addresses are refused, and the connection is made to the address that was checked, not to the name again.",
    facts: [
      "src/webhooks/target.ts refuses private, loopback and link-local addresses after resolving the name",
      "The connection goes to the checked address, so that a second DNS answer cannot differ",
    ],
  }),
  told(66, tradeOff("src/images/resize.ts"), {
    title: "Thumbnails are made on upload and not on demand",
    subtitle: "Storage is cheaper than a slow first view",
    narrative:
      "Three sizes (96, 320 and 1,024 pixels) are made by a job after each upload. On demand would save 60 % of the storage, but the first view took 900 ms and the image service needed to be public. Storage of all thumbnails is 212 GB, about 5 dollars a month.",
    facts: [
      "Thumbnails of 96, 320 and 1,024 pixels are made on upload by the job make-thumbnails",
      "On-demand resizing was rejected: 900 ms for the first view",
    ],
  }),
  told(83, discovery("gotcha", "src/orders/total.ts"), {
    title: "Tax of the order is not the sum of the taxes of its lines",
    subtitle: "Germany rounds the total, the United States each line",
    narrative:
      'For German orders tax is computed on the net total and rounded once; for orders in the United States each line is rounded. src/orders/total.ts switches by tax_mode of the shop. Two people have "simplified" this and had to take it back.',
    facts: [
      "Tax rounding depends on shops.tax_mode: `total` (DE) or `line` (US)",
      "Do not compute order tax as the sum of line taxes",
    ],
  }),
  told(104, bugfix("src/scheduler/lease.ts"), {
    title: "The nightly export ran twice after a deployment",
    subtitle: "Two schedulers held the lease for eleven seconds",
    narrative:
      "During a rolling deployment the old and the new scheduler both believed to hold the lease, because it was renewed by the process clock. The lease is compared with now() of the database and carries a fencing number, which the export writes with its rows; a smaller number is refused.",
    facts: [
      "The scheduler's lease uses the database's now() and a fencing number",
      "exports.fence refuses a run with a smaller number than the last",
    ],
  }),
  told(118, discovery("how-it-works", "deploy/README.md"), {
    title: "How a release reaches production",
    subtitle: "Tag, image, staging, canary, the rest",
    narrative:
      "A tag v* builds the image once. Staging takes it at once, and production after a click: one canary of twelve pods for 15 minutes, watched by error rate and p99, then three at a time. Migrations run before the canary and must work with the old code as well.",
    facts: [
      "A tag v* builds one image for staging and production",
      "The canary is 1 of 12 pods for 15 minutes; error rate over 1 % or p99 over 800 ms rolls back",
      "Migrations must be compatible with the code that is still running",
    ],
  }),
  told(126, about("discovery", ["why-it-exists"], "src/http/trailing-slash.ts"), {
    title: "Why /widgets/ and /widgets both answer",
    subtitle: "A scanner in a warehouse cannot be updated",
    narrative:
      "The handheld scanners of one customer call every URL with a trailing slash and cannot be updated before 2028. A redirect is no way out, because they drop the body of a POST. The middleware strips the slash; please leave it in.",
    facts: [
      "src/http/trailing-slash.ts exists for handheld scanners that cannot follow redirects; needed until 2028",
    ],
  }),
];

function told(
  day: number,
  what: About,
  words: Pick<Note, "title" | "subtitle" | "narrative" | "facts">,
): Note {
  return note("widgets-api", day, what, words);
}

function about(type: string, concepts: readonly string[], ...files: string[]): About {
  return { type, concepts, read: files.slice(0, 1), modified: type === "discovery" ? [] : files };
}

function decision(...files: string[]): About {
  return about("decision", ["decision", "why-it-exists"], ...files);
}

function bugfix(...files: string[]): About {
  return about("bugfix", ["problem-solution"], ...files);
}

function discovery(concept: string, ...files: string[]): About {
  return about("discovery", [concept], ...files);
}

function pattern(...files: string[]): About {
  return about("feature", ["pattern", "how-it-works"], ...files);
}

function tradeOff(...files: string[]): About {
  return about("discovery", ["trade-off"], ...files);
}
