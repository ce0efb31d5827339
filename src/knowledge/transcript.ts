import { closeSync, fstatSync, openSync, readSync } from "node:fs";

/** What a person or the assistant said; tools, thinking and what programs put in between are no part of it. */
export interface Message {
  role: "user" | "assistant";
  text: string;
  /** The same for the same message wherever it is read again: in a resumed session, before and after a compaction. */
  hash: string;
}

export interface TailLimits {
  /** Runs of messages of one side. */
  turns: number;
  /** UTF-16 units over all messages. */
  units: number;
}

/** Farther back than this nobody looks: it keeps the longest transcript within a hook's time. */
const SCAN_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
/** A longer line that holds a tool's result is not worth parsing for words beside it. */
const LONG_LINE_BYTES = 64 * 1024;

/**
 * The last messages of a Claude Code transcript, oldest first, read from the end of the file and cut
 * between messages. The format is internal to Claude Code and changes: whatever is not understood is
 * passed over. A file that is missing or no file has no messages.
 */
export function readTail(path: string, limits: TailLimits): Message[] {
  const messages: Message[] = [];
  const seen = new Set<string>();
  let units = 0;
  let turns = 0;
  for (const line of linesFromEnd(path)) {
    const message = parseLine(line);
    if (message === null || seen.has(message.hash)) continue;
    const text = shorten(message.text, limits.units);
    const newTurn = messages.at(-1)?.role !== message.role;
    if (units + text.length > limits.units || (newTurn && turns === limits.turns)) break;
    seen.add(message.hash);
    messages.push({ ...message, text });
    units += text.length;
    if (newTurn) turns += 1;
  }
  return messages.toReversed();
}

/** Messages of one side in a row are one turn. */
export function countTurns(messages: readonly Message[]): number {
  return messages.filter(({ role }, n) => messages[n - 1]?.role !== role).length;
}

/** One pasted log must not push everything else out: the middle of what takes over half the room is left out. */
function shorten(text: string, units: number): string {
  const most = Math.floor(units / 2);
  if (text.length <= most) return text;
  const head = text.slice(0, Math.floor((most * 2) / 3)).toWellFormed();
  const tail = text.slice(text.length - Math.floor(most / 4)).toWellFormed();
  return `${head}\n[… ${text.length - head.length - tail.length} units left out …]\n${tail}`;
}

function* linesFromEnd(path: string): Generator<Buffer> {
  let file: number;
  try {
    file = openSync(path, "r");
  } catch {
    return;
  }
  try {
    const stat = fstatSync(file);
    if (!stat.isFile()) return;
    const last = Math.max(0, stat.size - SCAN_BYTES);
    let rest: Buffer[] = []; // pieces of the line that began before what was read so far
    for (let end = stat.size; end > last;) {
      const start = Math.max(last, end - CHUNK_BYTES);
      const chunk = Buffer.allocUnsafe(end - start);
      const read = readSync(file, chunk, 0, chunk.length, start);
      let to = read;
      for (let at = lineBreakBefore(chunk, to); at >= 0; at = lineBreakBefore(chunk, to)) {
        const line = chunk.subarray(at + 1, to);
        yield rest.length === 0 ? line : Buffer.concat([line, ...rest]);
        rest = [];
        to = at;
      }
      rest.unshift(chunk.subarray(0, to));
      end = start;
    }
    if (last === 0) yield Buffer.concat(rest);
  } finally {
    closeSync(file);
  }
}

function lineBreakBefore(chunk: Buffer, to: number): number {
  return to === 0 ? -1 : chunk.lastIndexOf(0x0a, to - 1);
}

function parseLine(line: Buffer): Message | null {
  if (!line.includes('"user"') && !line.includes('"assistant"')) return null;
  if (line.length > LONG_LINE_BYTES && line.includes('"tool_result"')) return null;
  if (line.includes('"isSidechain":true')) return null;
  try {
    return messageOf(JSON.parse(line.toString("utf8")));
  } catch {
    return null; // torn, or no JSON at all
  }
}

/** Marks on records that repeat or explain the conversation, or belong to a subagent's. */
const ASIDE = ["isSidechain", "isMeta", "isCompactSummary", "isVisibleInTranscriptOnly", "isApiErrorMessage"];

function messageOf(record: unknown): Message | null {
  if (!isObject(record) || ASIDE.some((mark) => record[mark] === true)) return null;
  const message = isObject(record["message"]) ? record["message"] : record;
  const role = record["type"] ?? message["role"];
  if (role !== "user" && role !== "assistant") return null;
  if (message["model"] === "<synthetic>") return null;
  const text = wordsOf(message["content"]);
  if (text === "") return null;
  const when = record["timestamp"] ?? record["uuid"] ?? "";
  return {
    role,
    text,
    hash: new Bun.CryptoHasher("sha256")
      .update(`${role}\n${String(when)}\n${text}`)
      .digest("hex")
      .slice(0, 16),
  };
}

function wordsOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [content];
  const texts = blocks.map((block: unknown) => {
    if (typeof block === "string") return block;
    return isObject(block) && block["type"] === "text" && typeof block["text"] === "string"
      ? block["text"]
      : "";
  });
  const text = texts
    .filter((part) => part !== "")
    .join("\n\n")
    .replaceAll(WRAPPER, "")
    .trim();
  return NOTHING_SAID.test(text) ? "" : text;
}

/** What Claude Code, its editors and memory tools put around or beside a person's words. */
const WRAPPER =
  /<(system-reminder|command-[a-z]+|local-command-[a-z]+|bash-(?:input|stdout|stderr)|ide_[a-z_]+|user-prompt-submit-hook|task-notification|teammate-message|user-memory-input|private)\b[^>]*>[\s\S]*?<\/\1>/g;

const NOTHING_SAID =
  /^(?:\[Request interrupted by user[^\]]*\]|\(no content\)|No response requested\.|Caveat: The messages below were generated by the user while running local commands\..*)?$/s;

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
