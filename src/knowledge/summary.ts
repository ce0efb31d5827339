import { sanitiseLine } from "../text/sanitise.ts";
import { clipLine, sentences } from "../text/sentences.ts";

/** A line for the index about a page that came without one: its first sentence of prose, else its title. */
export function statementOf(title: string, body: string): string {
  const prose = body.replaceAll(/^(?:#{1,6} .*|\s*[-*>|].*|```[\s\S]*?^```)$/gm, "");
  return clipLine(sanitiseLine(sentences(prose)[0] ?? title), 160);
}
