import { runChild } from "../../../src/model/child.ts";
import { NO_USAGE } from "../../../src/model/model.ts";
import type { Provider } from "../../../src/model/models.ts";
import { makePrivateFolder } from "../../../src/text/files.ts";
import { estimateTokens } from "../../../src/text/tokens.ts";

/** `command:PROGRAM`: any program that reads a prompt on stdin and prints the answer. */
export const command: Provider = {
  words: ["command:PROGRAM"],
  accepts: (word) => /^command:(\S+)$/.exec(word)?.[1] ?? null,
  payer: () => "whoever that program asks",
  open: (program, { env, timeoutMs, workingFolder }) => {
    return async (prompt, signal) => {
      makePrivateFolder(workingFolder);
      const input = `${prompt.system}\n\n${prompt.user}`;
      const end = await runChild(
        { command: program, argv: [], env, cwd: workingFolder, input, timeoutMs },
        signal,
      );
      if (end.kind === "not-started") return { kind: "paused", reason: end.reason, usage: NO_USAGE };
      const text = end.kind === "exited" && end.code === 0 ? end.stdout.trim() : "";
      const usage = {
        calls: 1,
        inputTokens: estimateTokens(input),
        outputTokens: estimateTokens(text),
        costUsd: null,
      };
      if (text === "") return { kind: "refused", reason: `${program} gave no answer`, usage };
      return { kind: "answered", text, usage, model: program };
    };
  },
};
