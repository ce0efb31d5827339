import { compile } from "../../src/knowledge/compile.ts";
import { baseAt } from "../../src/knowledge/base.ts";
import { flush } from "../../src/knowledge/flush.ts";
import type { Model } from "../../src/model/model.ts";
import { conceptBody } from "./small-base.ts";

/**
 * A flush or a compile of its own process, to be killed: `bun knowledge-child.ts flush|compile STATE BASE MS`. The
 * model answers after MS; a compile makes one page a log, which the next log updates.
 */
const [what, state = "", root = "", ms = "0"] = process.argv.slice(2);
const { signal } = new AbortController();
const usage = { calls: 1, inputTokens: 1, outputTokens: 1, costUsd: 0 };
const answers =
  (text: (user: string) => string): Model =>
  async ({ user }) => {
    await Bun.sleep(Number(ms));
    return { kind: "answered", text: text(user), usage, model: "scripted" };
  };

if (what === "flush") {
  const model = answers(
    (user) =>
      `**Decisions Made:**\n${Array.from(user.matchAll(/fact-\S+-end/g), ([fact]) => `- We decided on ${fact}`).join("\n")}`,
  );
  await flush({
    state,
    asked: { model: () => model, guard: { job: (run) => run() } },
    now: () => new Date(),
    signal,
  });
} else {
  const model = (log: string) =>
    answers((user) => {
      const known = /=== concepts\/shared\n[\s\S]*?(# shared[\s\S]*?)\n\n===/.exec(`${user}\n\n===`)?.[1];
      const own = log.replace(".md", "");
      const shared = { path: "concepts/shared", title: "shared", summary: `with ${own}` };
      const before = known?.split("\n----- end of data")[0];
      const pages = [
        {
          path: `concepts/day-${own}`,
          action: "create",
          title: `day ${own}`,
          summary: own,
          body: conceptBody(`day ${own}`, { log, links: ["concepts/shared"] }),
        },
        before === undefined
          ? { ...shared, action: "create", body: conceptBody("shared", { log }) }
          : { ...shared, action: "update", body: `${before}\n- [[daily/${log}]] - told there` },
      ];
      return JSON.stringify({ articles: pages });
    });
  await compile({
    base: baseAt(root),
    state,
    selection: { all: false, logs: [], until: null },
    model,
    guard: { job: (run) => run() },
    now: () => new Date(),
    signal,
    progress: () => undefined,
  });
}
