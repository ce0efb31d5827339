import type { Prompt } from "../../model/model.ts";
import { localDay } from "../day.ts";
import { NOTHING } from "../notes.ts";
import type { Message } from "../transcript.ts";
import { FENCE_RULE, fenced } from "./fence.ts";

/** Stands beside each call's cost; a new one for every change of the words below. */
export const FLUSH_VERSION = "flush-1";

const SYSTEM = `You keep the work diary of a software project. You get the end of a conversation between a person (User) and a coding agent (Assistant) and write down what somebody who continues this work in a month would need and could not see in the code.

${FENCE_RULE}

Answer with these five sections, in this form and nothing else. Leave out a section that would be empty; every point is one line.

**Context:** one line: what was worked on and to what end
**Key Exchanges:**
- a question or problem that mattered and what came of it
**Decisions Made:**
- what was decided, with the reason, and what was rejected
**Lessons Learned:**
- a trap, its cause and how to avoid it; a pattern or fact about the system that took effort to find
**Action Items:**
- what is still to be done, by whom if that was said

Rules
1. Keep identifiers, paths, commands, versions, numbers and error texts exactly as they stand.
2. Keep doubt: a guess, a plan or something untested stays one. What was tried and failed is told as tried and failed.
3. Where the conversation corrects itself, write down what holds at its end.
4. Each point stands alone: name its subject, not "it" or "the file". Dates are dates, never "today".
5. Leave out tool calls, routine edits, greetings, what the code or its history tells anyway, and anything private or secret.
6. At most six points a section; two good ones are better than six. Say a thing once, in the section where it helps most.
7. Write in the conversation's language; the section names stay as they are.
8. If nothing is worth keeping, answer exactly ${NOTHING}`;

/** The request for one stretch of conversation, secrets already masked. */
export function flushPrompt(messages: readonly Message[], at: Date): Prompt {
  const conversation = messages
    .map(({ role, text }) => `${role === "user" ? "User" : "Assistant"}: ${text}`)
    .join("\n\n");
  return {
    system: SYSTEM,
    user: `Write the diary entry for this conversation, which ended on ${localDay(at)}.\n\n${fenced(conversation)}\n\nAnswer with the sections, or with ${NOTHING}.`,
    json: false,
    maxOutputTokens: 2000,
  };
}
