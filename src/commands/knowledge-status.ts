import { existsSync } from "node:fs";
import { Exit } from "../errors.ts";
import { ARTICLE_FOLDERS, folderOf } from "../knowledge/article.ts";
import { changedLogs, isEdited, loadBase, settleBase } from "../knowledge/loaded.ts";
import { readQueue } from "../knowledge/queue.ts";
import { usageByPurpose } from "../store/calls.ts";
import { openStore } from "../store/open.ts";
import type { Run } from "./command.ts";
import { count, figure } from "./figures.ts";
import { commandBase } from "./knowledge-base.ts";
import { costName } from "./knowledge-model.ts";
import { renderTable } from "./output.ts";

export const run: Run = async (_, { config, output, cwd }) => {
  const { base, project } = commandBase(config, cwd);
  settleBase(base, config.paths.state);
  const loaded = loadBase(base);
  const waiting = readQueue(config.paths.state).map(({ capture }) => capture);
  const changed = changedLogs(loaded);
  const articles = Object.fromEntries(
    ARTICLE_FOLDERS.map((folder) => [
      folder,
      loaded.articles.filter(({ path }) => folderOf(path) === folder).length,
    ]),
  );
  const edited = loaded.articles.filter((article) => isEdited(article, loaded.record)).length;
  const costs = readCosts(config.DIGEST_DB, costName(base.root));
  const queue = {
    waiting: waiting.filter((capture) => capture.base === base.root).length,
    elsewhere: waiting.filter((capture) => capture.base !== base.root).length,
    refused: waiting.filter(({ refusals }) => refusals > 0).length,
    oldest: waiting[0] === undefined ? null : new Date(waiting[0].at).toISOString(),
  };
  output.object({
    base: base.root,
    project,
    model: config.KNOWLEDGE_MODEL,
    logs: { total: loaded.logs.size, latest: [...loaded.logs.keys()].at(-1) ?? null, toCompile: changed },
    queue,
    articles: { total: loaded.articles.length, ...articles, edited },
    lastCompile: loaded.record.compiledAt,
    costs,
  });
  output.text(`Base      ${base.root}${existsSync(base.root) ? "" : " (not begun)"}`);
  output.text(`Model     ${config.KNOWLEDGE_MODEL}`);
  output.text(
    `Logs      ${figure(loaded.logs.size)}, ${changed.length === 0 ? "all compiled" : `to compile: ${changed.slice(-5).join(", ")}${changed.length > 5 ? ` and ${changed.length - 5} more` : ""}`}`,
  );
  output.text(
    `Queue     ${queue.waiting === 0 ? "empty" : `${count(queue.waiting, "session part")} to write down`}${queue.elsewhere === 0 ? "" : `, ${queue.elsewhere} of other bases`}${queue.refused === 0 ? "" : `, ${queue.refused} refused before`}`,
  );
  output.text(
    `Articles  ${figure(loaded.articles.length)}: ${ARTICLE_FOLDERS.map((folder) => `${articles[folder] ?? 0} ${folder}`).join(", ")}${edited === 0 ? "" : `; ${edited} edited by hand`}`,
  );
  output.text(`Compiled  ${loaded.record.compiledAt ?? "never"}`);
  if (costs.length > 0) {
    const dollars = (cost: number | null) => (cost === null ? "unknown" : `$${cost.toFixed(2)}`);
    output.text(
      `\n${renderTable(
        ["for", "calls", "in", "out", "cost"],
        costs.map(({ purpose, calls, inputTokens, outputTokens, costUsd }) => [
          purpose,
          calls,
          inputTokens,
          outputTokens,
          dollars(costUsd),
        ]),
        [4],
      )}`,
    );
  }
  return Exit.done;
};

function readCosts(path: string, project: string): ReturnType<typeof usageByPurpose> {
  if (!existsSync(path)) return [];
  const store = openStore(path);
  try {
    return usageByPurpose(store, project);
  } finally {
    store.close();
  }
}
