/**
 * One line that is safe to stand in a model's context as data: no line breaks, control characters,
 * text-direction overrides or invisible characters, no tag that Claude Code, claude-mem or our own
 * fence would read as markup, no code fence. Any other word, name and number stays as it is. Twice is
 * the same as once.
 *
 * `@path` is left alone: Claude Code expands it in prompts only, never in what a hook hands over.
 */
export function sanitiseLine(text: string): string {
  if (!SUSPECT.test(text)) return text;
  return text
    .toWellFormed()
    .replace(INVISIBLE, "")
    .replace(BLANKS, " ")
    .replace(JOINERS_IN_LATIN, "")
    .replace(/ {2,}/g, " ") // where one stood between blanks
    .replace(MARKUP, "&lt;")
    .replace(/`{3,}|~{3,}/g, (fence) => fence.charAt(0))
    .trim();
}

/** Nearly every line has nothing of it, and a session waits for the rest. */
const SUSPECT = /[^ -~]|<|`{3}|~{3}|^ | {2}| $/;

/** Everything that a line break, a tab or a run of them can look like; control characters count as blanks. */
// oxlint-disable-next-line no-control-regex -- they are what it is for
const BLANKS = /[\s\u0000-\u001f\u007f-\u009f]+/gu;

/** Soft hyphens, zero-width and direction marks, annotation marks, invisible "tag" letters, private selectors. */
const INVISIBLE =
  /[\u00ad\u061c\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Zero-width joiners shape Persian, Hindi and emoji; between Latin letters they only hide a word. */
const JOINERS_IN_LATIN = /(?<=[\u0020-\u007e])[\u200c\u200d]+|[\u200c\u200d]+(?=[\u0020-\u007e])/g;

/** Names that mean something to the reader of a context; `Array<string>`, `<div>` and the like stay. */
const TAGS = [
  "persisted-memory",
  // Claude Code
  "system-?reminder",
  "persisted-output",
  "user-prompt-submit-hook",
  "session-start-hook",
  "command-(?:name|message|args|contents)",
  "local-command-[a-z]+",
  "bash-(?:input|stdout|stderr)",
  "task-notification",
  "teammate-message",
  "tool_use_error",
  "ide_[a-z_]+",
  "user-memory-input",
  "new-diagnostics",
  // claude-mem
  "private",
  "claude-mem-[a-z-]+",
  "system[_-]instructions?",
  // what model APIs use between turns
  "function_(?:calls?|results?)",
  "tool_(?:calls?|results?|uses?)",
  "invoke",
  "antml:[a-z_]+",
  "thinking",
  "system",
  "user",
  "assistant",
  "human",
];
const MARKUP = new RegExp(String.raw`<(?=[\s/]*(?:${TAGS.join("|")})(?![\w:-]))`, "giu");
