import { type Random, createRandom } from "./random.ts";

/** One message as a reader of the transcript should find it. */
export interface Said {
  role: "user" | "assistant";
  text: string;
}

export interface TranscriptOptions {
  /** The same seed makes the same transcript, to the byte. */
  seed: number;
  /** Questions with an answer each. */
  exchanges: number;
  /** Records that say nothing, on average between two messages. */
  noise: number;
  /** How the file ends; with a line break unless told. */
  end?: "line break" | "none" | "torn";
  session?: string;
  cwd?: string;
}

export interface Transcript {
  jsonl: string;
  said: readonly Said[];
}

/**
 * A Claude Code session's transcript with what real ones have between the words: tools and their results, thinking,
 * subagents' records, progress, snapshots, slash commands, summaries, records of unknown types, records
 * repeated after a resume, pictures, lines that are no objects.
 */
export function makeTranscript(options: TranscriptOptions): Transcript {
  const random = createRandom(options.seed);
  const session = options.session ?? `session-${options.seed}`;
  const lines: string[] = [];
  const said: Said[] = [];
  let minute = 0;
  const record = (type: string, fields: object) => {
    minute += 1;
    const common = {
      parentUuid: `u${minute - 1}`,
      isSidechain: false,
      userType: "external",
      cwd: options.cwd ?? "/home/dev/widgets-api",
      sessionId: session,
      version: "2.1.332",
      gitBranch: "main",
      type,
      uuid: `u${options.seed}-${minute}`,
      timestamp: new Date(Date.UTC(2026, 10, 1, 9) + minute * 61_000).toISOString(),
    };
    return JSON.stringify({ ...common, ...fields });
  };
  const push = (line: string) => void lines.push(line);
  const noise = () => {
    for (let n = random(2 * options.noise + 1); n > 0; n--) push(pick(NOISE, random)(record, random));
  };
  push(JSON.stringify({ type: "summary", summary: "Earlier work", leafUuid: "leaf" }));
  push(
    JSON.stringify({ type: "file-history-snapshot", messageId: "m", snapshot: { trackedFileBackups: {} } }),
  );
  for (let n = 0; n < options.exchanges; n++) {
    const topic = pick(TOPICS, random);
    const question = `${topic.question} (${n})`;
    const answer = `${topic.answer} See src/part-${n}.ts.`;
    push(record("user", { message: { role: "user", content: content(question, random) } }));
    noise();
    push(
      record("assistant", {
        message: { role: "assistant", model: "claude-sonnet-5-5", content: content(answer, random) },
      }),
    );
    if (random(6) === 0) push(lines.at(-1) ?? ""); // a resume writes it again
    noise();
    said.push({ role: "user", text: question }, { role: "assistant", text: answer });
  }
  const jsonl = lines.join("\n");
  const torn = record("assistant", { message: { role: "assistant", content: "never finished" } }).slice(
    0,
    -30,
  );
  return {
    jsonl: { "line break": `${jsonl}\n`, none: jsonl, torn: `${jsonl}\n${torn}` }[
      options.end ?? "line break"
    ],
    said,
  };
}

type MakeRecord = (type: string, fields: object) => string;

/** What people ask and what comes of it: decisions, lessons and open ends in ordinary words. */
const TOPICS = [
  {
    question: "Why does the login test fail on CI but never on my machine?",
    answer:
      "The root cause is a race: login.spec.ts asks the mail stub before it listens on port 4025. We decided to await `mailReady()` instead of sleeping for two seconds.",
  },
  {
    question: "Can we move the API server off port 4000, it collides with the metrics exporter",
    answer:
      "server.ts now binds 4100. It turned out that docker-compose.yml pins 4000 as well, so both had to change. TODO: tell the ops team about the firewall rule.",
  },
  {
    question: "Should retries of the payment webhook use a fixed delay or exponential backoff?",
    answer:
      "We went with exponential backoff and full jitter, because a fixed delay makes all workers retry at once. The provider probably drops events after 24 hours, which is not verified.",
  },
  {
    question: "The migration hangs on the staging database, what is holding the lock?",
    answer:
      "A deadlock: `make db-up` waits for the advisory lock 7421 that the worker takes at start. Never run migrations by hand while the worker runs. Next step: release the lock in worker.ts before the health check.",
  },
  {
    question: "请解释为什么缓存在部署之后没有失效，我们昨天改了键的格式",
    answer:
      "缓存键包含构建编号，但是 CDN 忽略查询字符串。我们把编号移到了路径里，这样每次部署都会产生新的键。",
  },
  {
    question: "Which logger do we keep, pino or winston? Both are in package.json.",
    answer:
      "Agreed on pino 9.1: it is five times faster here and its child loggers carry the request id. Winston stays until reports/ is rewritten, that is still to do.",
  },
] as const;

function content(text: string, random: Random): unknown {
  switch (random(4)) {
    case 0:
      return text;
    case 1:
      return [text];
    case 2:
      return [
        { type: "thinking", thinking: "Hm.", signature: "x" },
        { type: "text", text },
      ];
    default:
      return [{ type: "text", text }];
  }
}

const NOISE: readonly ((record: MakeRecord, random: Random) => string)[] = [
  (record) =>
    record("assistant", {
      message: {
        role: "assistant",
        content: [{ type: "tool_use", id: "t", name: "Bash", input: { command: "ls" } }],
      },
    }),
  (record) =>
    record("user", {
      message: {
        role: "user",
        content: [{ tool_use_id: "t", type: "tool_result", content: "file-a\nfile-b" }],
      },
      toolUseResult: { stdout: "file-a" },
    }),
  (record, random) =>
    record("user", {
      message: {
        role: "user",
        content: [
          {
            tool_use_id: "t",
            type: "tool_result",
            content: [
              { type: "text", text: "a picture" },
              { type: "image", source: { type: "base64", data: "iVBO".repeat(20_000 + random(50_000)) } },
            ],
          },
        ],
      },
    }),
  (record) =>
    record("assistant", {
      message: {
        role: "assistant",
        content: [{ type: "thinking", thinking: "Let me think.", signature: "s" }],
      },
    }),
  (record) =>
    record("user", { isSidechain: true, message: { role: "user", content: "Explore the repository." } }),
  (record) =>
    record("assistant", {
      isSidechain: true,
      message: { role: "assistant", content: [{ type: "text", text: "A subagent's words." }] },
    }),
  (record) =>
    record("user", {
      isMeta: true,
      message: { role: "user", content: "Caveat: the messages below were generated by local commands." },
    }),
  (record) =>
    record("user", {
      message: {
        role: "user",
        content:
          "<command-name>/compact</command-name>\n<command-message>compact</command-message>\n<command-args></command-args>",
      },
    }),
  (record) =>
    record("user", {
      message: { role: "user", content: "<local-command-stdout>Compacted</local-command-stdout>" },
    }),
  (record) =>
    record("user", {
      isCompactSummary: true,
      message: { role: "user", content: "This session is being continued from a previous conversation." },
    }),
  (record) =>
    record("user", {
      message: { role: "user", content: [{ type: "text", text: "[Request interrupted by user]" }] },
    }),
  (record) =>
    record("user", { message: { role: "user", content: "<system-reminder>Be nice.</system-reminder>" } }),
  (record) =>
    record("assistant", {
      message: {
        role: "assistant",
        model: "<synthetic>",
        content: [{ type: "text", text: "No response requested." }],
      },
    }),
  (record) =>
    record("assistant", {
      isApiErrorMessage: true,
      message: { role: "assistant", content: [{ type: "text", text: "API Error: 529 overloaded" }] },
    }),
  (record) =>
    record("progress", {
      data: {
        type: "agent_progress",
        message: {
          type: "assistant",
          message: { role: "assistant", content: [{ type: "text", text: "half a word" }] },
        },
      },
    }),
  (record) =>
    record("system", {
      subtype: "compact_boundary",
      content: "Conversation compacted",
      logicalParentUuid: "u1",
      compactMetadata: { trigger: "auto" },
    }),
  (record) => record("queue-operation", { operation: "enqueue", content: "a queued prompt" }),
  (record) =>
    record("attachment", { attachment: { type: "hook_additional_context", content: ["injected"] } }),
  (record) => record("something-new", { message: { role: "user", content: "of a later version" } }),
  (record) => record("user", {}),
  () => JSON.stringify({ uuid: "no-type", content: "nothing" }),
  () => "[1,2,3]",
  () => '"a string"',
  () => "42",
  () => "",
  () => "{not json",
];

function pick<Value>(values: readonly Value[], random: Random): Value {
  return values[random(values.length)] as Value;
}
