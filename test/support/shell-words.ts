/**
 * The words of one shell command line as people write them in documents: quotes are honoured, `NAME=value` before
 * the command and everything from a pipe, a redirection or a comment on is left out.
 */
export function shellWords(line: string): string[] {
  const words = [...line.matchAll(/"([^"]*)"|'([^']*)'|(\S+)/g)].map(([, double, single, bare]) => ({
    text: double ?? single ?? bare ?? "",
    bare: bare !== undefined,
  }));
  const end = words.findIndex(({ text, bare }) => bare && /^(\||&&|[12]?>|#|;)/.test(text));
  const command = (end < 0 ? words : words.slice(0, end)).map(({ text }) => text);
  return command.slice(command.findIndex((word) => !/^[A-Z_]+=/.test(word)));
}
