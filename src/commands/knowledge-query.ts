import { z } from "zod";
import { Exit, UserError, usageError } from "../errors.ts";
import { loadBase, lockBase, settleBase } from "../knowledge/loaded.ts";
import { QUERY_VERSION } from "../knowledge/prompts/query.ts";
import { type QueryAnswer, fileAnswer, queryBase, searchBase } from "../knowledge/query.ts";
import type { Usage } from "../model/model.ts";
import { redact } from "../text/redact.ts";
import type { Context, Run } from "./command.ts";
import { count } from "./figures.ts";
import { commandBase, noteIfMissing } from "./knowledge-base.ts";
import { type KnowledgeModel, chooseKnowledgeModel } from "./knowledge-model.ts";
import { checkOptions } from "./options.ts";

const Options = z.object({
  fileBack: z.boolean().default(false),
  model: z.string().optional(),
  useApiKey: z.boolean().default(false),
});
const Question = z
  .array(z.string())
  .min(1)
  .transform((words) => words.join(" ").trim());

export const run: Run = async ({ args, options }, context) => {
  const flags = checkOptions(Options, options);
  const question = redact(Question.parse(args[0])).text;
  if (question === "") throw usageError("no-question", "the question is empty");
  const { config, output, cwd } = context;
  const { base } = commandBase(config, cwd);
  noteIfMissing(base, output.note);
  settleBase(base, config.paths.state);
  const word = flags.model ?? config.KNOWLEDGE_MODEL;
  const model = chooseKnowledgeModel(word, config, {
    command: "knowledge query",
    useApiKey: flags.useApiKey,
    warn: output.warn,
  });
  const work = { context, base, question, word };
  if (model !== null) return answerWith(work, model, flags.fileBack);
  if (flags.fileBack) {
    throw usageError(
      "needs-model",
      "--file-back keeps an answer, and without a model there is none",
      "name one with --model or KNOWLEDGE_MODEL",
    );
  }
  return search(work);
};

interface Work {
  context: Context;
  base: ReturnType<typeof commandBase>["base"];
  question: string;
  word: string;
}

function search({ context: { output }, base, question, word }: Work): typeof Exit.done {
  const articles = searchBase(loadBase(base), question);
  output.object({ model: word, base: base.root, question, articles });
  for (const { path, title, summary, snippet } of articles) {
    output.text(
      `[[${path}]] ${output.colours.bold(title)}\n  ${summary}\n  ${output.colours.dim(snippet)}\n`,
    );
  }
  if (articles.length === 0) output.text("No article has words of the question.");
  else output.note(`files in ${base.knowledge}; for an answer: knowledge query --model haiku`);
  return Exit.done;
}

async function answerWith(work: Work, model: KnowledgeModel, fileBack: boolean) {
  const { context, base, question, word } = work;
  const { output, signal } = context;
  const loaded = loadBase(base);
  if (loaded.articles.length === 0) return search(work); // there is nothing to ask about
  output.note(model.payer);
  const started = model.start();
  let asked: Awaited<ReturnType<typeof queryBase>> | null = null;
  let usage: Usage;
  try {
    const ask = started.model({ purpose: "query", promptVersion: QUERY_VERSION }, base.root);
    asked = await started.guard.job(() => queryBase(loaded, question, ask, signal));
  } finally {
    const failed = asked === null || asked.kind === "answered" ? {} : { reason: asked.reason };
    usage = started.finish({ outcome: asked === null ? "interrupted" : OUTCOMES[asked.kind], ...failed });
  }
  if (asked.kind !== "answered") {
    const gate = asked.kind === "refused" && asked.gate;
    throw new UserError({
      code: asked.kind === "paused" ? "model-paused" : gate ? "answer-rejected" : "answer-unreadable",
      message: asked.reason,
      hint: "try again later, or --model extractive for the ranked articles",
      exit: gate ? Exit.refused : Exit.model,
    });
  }
  const answer = asked.value;
  const filed = fileBack && answer.answer !== "" ? keep(work, answer) : null;
  output.object({ model: word, base: base.root, question, ...answer, filed, usage });
  output.text(answer.answer === "" ? `The base does not say: ${answer.missing}` : answer.answer);
  for (const [n, text] of answer.followUps.entries()) output.text(`${n === 0 ? "\n" : ""}→ ${text}`);
  if (filed !== null) output.text(`\nKept as [[${filed}]].`);
  output.note(
    `${count(usage.calls, "call")}, ${usage.inputTokens} tokens in, ${usage.outputTokens} out; read ${answer.consulted.join(", ") || "nothing"}`,
  );
  return Exit.done;
}

const OUTCOMES = { answered: "done", refused: "failed", paused: "paused" } as const;

/** Somebody else may be compiling: a moment's patience, since the answer is there and paid for. */
const PATIENCE_MS = 10_000;

function keep({ context, base, question }: Work, answer: QueryAnswer): string {
  const lock = lockBase(base, context.config.paths.state, PATIENCE_MS);
  if (lock.kind === "busy") {
    throw new UserError({
      code: "base-locked",
      message: `the answer was not kept, ${base.root} is being compiled:\n${answer.answer}`,
      exit: Exit.refused,
    });
  }
  try {
    const { path, outcome } = fileAnswer(loadBase(base), question, answer, new Date());
    if (outcome.kind === "committed") return path;
    throw new UserError({
      code: "base-conflict",
      message: `the answer was not kept, ${outcome.path}: ${outcome.reason}`,
      exit: Exit.refused,
    });
  } finally {
    lock.release();
  }
}
