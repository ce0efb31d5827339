import { sanitiseLine } from "../text/sanitise.ts";
import { clipLine, sentences } from "../text/sentences.ts";
import { NOTHING, type Notes } from "./notes.ts";
import type { Message } from "./transcript.ts";

/**
 * Notes without a model: sentences of the conversation, word for word, sorted into the five sections by the
 * words that decisions, lessons and open ends are told with (English ones; in other languages the
 * exchanges remain). Says that nothing is worth keeping where no question got a real answer.
 */
export function extractNotes(messages: readonly Message[]): Notes | typeof NOTHING {
  const exchanges = exchangesOf(messages);
  const claims = messages.flatMap((message, n) =>
    statements(message.text).map((text) => ({ text, late: n >= messages.length / 2 })),
  );
  const taken = new Set<string>();
  const pick = (section: Section) => {
    const chosen = claims
      .filter(
        ({ text, late }) =>
          !taken.has(text) && (section.strong.test(text) || (late && section.late?.test(text) === true)),
      )
      .slice(-POINTS);
    for (const { text } of chosen) taken.add(text);
    return unique(chosen.map(({ text }) => clipLine(text, POINT_UNITS)));
  };
  const actions = pick(ACTIONS);
  const decisions = pick(DECISIONS);
  const lessons = pick(LESSONS);
  if (exchanges.length === 0 && actions.length + decisions.length + lessons.length === 0) return NOTHING;
  return {
    context: clipLine(exchanges[0]?.question ?? claims[0]?.text ?? "", CONTEXT_UNITS),
    exchanges: exchanges
      .slice(-POINTS)
      .map(
        ({ question, answer }) =>
          `“${clipLine(question, QUESTION_UNITS)}” → ${clipLine(answer, POINT_UNITS)}`,
      ),
    decisions,
    lessons,
    actions,
  };
}

interface Section {
  /** Anywhere in the conversation. */
  strong: RegExp;
  /** Only in its second half: what was open early on may be done by its end. */
  late?: RegExp;
}

const DECISIONS: Section = {
  strong:
    /\b(?:decid(?:ed|e to)|decision|we chose|chose (?:to|the)|chosen|opted|settled on|agreed (?:to|on|that)|instead of|rather than|(?:go|going|went) (?:with|for)|the plan is|no longer|(?:stays?|remains?) as (?:it is|they are)|now (?:uses?|binds?|runs?|pages?|reads?|writes?|keeps?|stores?|returns?|goes|waits?)|stick(?:ing)? (?:to|with)|switch(?:ed|ing)? (?:to|from)|let's (?:use|keep|go|drop|make|stick|not)|we(?:'ll| will| should) (?:use|keep|drop|not)|from now on|must (?:always|never|not)|never (?:use|do|call|run)|always (?:use|do|call|run))\b/i,
};

const LESSONS: Section = {
  strong:
    /\b(?:turns? out|turned out|root cause|caused by|the (?:real |actual )?(?:bug|problem|issue|cause|reason|culprit|trick|catch|fix) (?:was|is)|(?:that|this) (?:is|was) why|gotcha|traps?|pitfalls?|that explains|the first (?:version|attempt|try)|not enough|must be|counts as|lesson|learned|beware|be careful|careful with|workaround|silently|only works?|(?:does|did|do|will)(?:n't| not) work|fail(?:s|ed)? (?:when|if|because|with|unless)|breaks? (?:when|if|because)|important to|note that|remember that|deadlock|race condition|undocumented)\b/i,
};

const ACTIONS: Section = {
  strong:
    /\b(?:TODO|FIXME|next steps?|follow[- ]?ups?|action items?|still (?:need|needs|have|has) to|still (?:open|missing|to do)|left to do|remains? to|open question|don't forget|not (?:yet )?(?:done|implemented|tested|fixed|verified|covered)|also left|tomorrow|later we)\b/i,
  late: /\b(?:we|you|I)(?:'ll| will| should| need to| have to| must)\b.{0,80}\b(?:later|next|before|after|once|soon|then)\b/i,
};

const POINTS = 8;
const CONTEXT_UNITS = 200;
const QUESTION_UNITS = 200;
const POINT_UNITS = 300;
/** Shorter words of a person's are "ok", "thanks", "go on". */
const QUESTION_LEAST = 16;
const ANSWER_LEAST = 40;

interface Exchange {
  question: string;
  answer: string;
}

/** What a person asked, with what the last answer to it says first. */
function exchangesOf(messages: readonly Message[]): Exchange[] {
  const found: Exchange[] = [];
  let question: string | null = null;
  let answers: string[] = [];
  const close = () => {
    const answer = gist(answers);
    if (question !== null && answer !== null) found.push({ question, answer });
    answers = [];
  };
  for (const { role, text } of messages) {
    if (role === "assistant") {
      answers.push(text);
      continue;
    }
    close();
    const asked = statements(text).join(" ");
    question = asked.length >= QUESTION_LEAST ? asked : null;
  }
  close();
  return found;
}

/** The last message usually is the report; what comes before it is narrated on the way. */
function gist(answers: readonly string[]): string | null {
  for (const answer of answers.toReversed()) {
    const told = statements(answer);
    if (told.join(" ").length >= ANSWER_LEAST) return told.slice(0, 2).join(" ");
  }
  return null;
}

/** Sentences in prose and lists, without code, tables, headings and the assistant's announcements of its next move. */
function statements(text: string): string[] {
  const prose = text
    .replaceAll(/^[ \t]*(```+|~~~+)[\s\S]*?(?:^[ \t]*\1[`~]*[ \t]*$|(?![\s\S]))/gm, "\n")
    .replaceAll(/^[ \t]*(?:\||>|#{1,6} ).*$/gm, "\n")
    .replaceAll(/(?<!\w)(\*\*|__)(?=\S)(.+?)(?<=\S)\1(?!\w)/g, "$2");
  return sentences(prose)
    .map(sanitiseLine)
    .filter((sentence) => /\p{L}/u.test(sentence) && !ANNOUNCEMENT.test(sentence));
}

const ANNOUNCEMENT =
  /^(?:(?:now|first|next|then|ok(?:ay)?|great|good|perfect|alright|sure|right),?\s*)*[,.!—-]*\s*(?:let me|i'll|i will|i'm going to|i am going to|let's (?:look|see|check|start|run)|looking|checking|running|reading|searching|here(?:'s| is| are) (?:the|a|what)|you're (?:absolutely )?right|done[.!]?$|perfect[.!]?$|great[.!]?$)/i;

function unique(texts: readonly string[]): string[] {
  return [...new Set(texts)];
}
