import type { CommandSpec } from "./command.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

/** The names that the program is installed under. */
const PROGRAMS = ["persisted-memory", "pmem"];

/** A completion script for a shell, from the command table alone: pressing Tab starts nothing. */
export function completionScript(shell: Shell, commands: readonly CommandSpec[]): string {
  return { bash, zsh, fish }[shell](placesIn(commands));
}

/** Where the command line can be, by the words so far, and what may come there. */
interface Place {
  /** `memory gate`; empty before the first word. */
  words: string;
  next: readonly Candidate[];
  /** Options that take one of a few words, and those words. */
  values: readonly { option: string; words: readonly string[] }[];
}

interface Candidate {
  word: string;
  meaning: string;
}

function placesIn(commands: readonly CommandSpec[]): Place[] {
  const groups = new Map<string, Candidate[]>([["", []]]);
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    for (const [depth, word] of words.entries()) {
      const above = words.slice(0, depth).join(" ");
      const group = groups.get(above) ?? [];
      groups.set(above, group);
      const meaning = depth === words.length - 1 ? summary : `${word} commands`;
      if (!group.some((candidate) => candidate.word === word)) group.push({ word, meaning });
    }
  }
  const own = commands.map((spec) => ({
    words: spec.name,
    next: candidatesOf(spec),
    values: valuesOf(spec),
  }));
  return [...[...groups].map(([words, next]) => ({ words, next, values: [] })), ...own];
}

function candidatesOf({ args = [], options = [], json }: CommandSpec): Candidate[] {
  return [
    ...args.flatMap(({ choices = [], meaning }) => choices.map((word) => ({ word, meaning }))),
    ...options.map(({ flags, meaning }) => ({ word: longOption(flags), meaning })),
    ...(json ? [{ word: "--json", meaning: "one JSON object on stdout" }] : []),
    { word: "--help", meaning: "display help for command" },
  ];
}

function valuesOf({ options = [] }: CommandSpec): Place["values"] {
  return options.flatMap(({ flags, choices }) =>
    choices === undefined ? [] : [{ option: longOption(flags), words: choices }],
  );
}

function longOption(flags: string): string {
  return /--[\w-]+/.exec(flags)?.[0] ?? flags;
}

/** Walks the words before the cursor as far as they are commands; `-o default` completes files where nothing of ours fits. */
function bash(places: readonly Place[]): string {
  const known = places.flatMap(({ words }) => (words === "" ? [] : [`"${words}"`]));
  const words = places.map(
    (place) => `    "${place.words}") words="${place.next.map(({ word }) => word).join(" ")}" ;;`,
  );
  const values = places.flatMap((place) =>
    place.values.map((value) => `    "${place.words} ${value.option}") words="${value.words.join(" ")}" ;;`),
  );
  return `_persisted_memory() {
  local at="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${at:+$at }$word" in
      ${known.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${words.join("\n")}
  esac
  case "$at \${COMP_WORDS[COMP_CWORD-1]}" in
${values.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _persisted_memory ${PROGRAMS.join(" ")}
`;
}

function zsh(places: readonly Place[]): string {
  const known = places.flatMap(({ words }) => (words === "" ? [] : [`"${words}"`]));
  const describe = ({ word, meaning }: Candidate) => `      ${quoted(`${word}:${meaning}`)}`;
  const lists = places.map(
    (place) => `    "${place.words}") list=(\n${place.next.map(describe).join("\n")}\n    ) ;;`,
  );
  const values = places.flatMap((place) =>
    place.values.map((value) => `    "${place.words} ${value.option}") list=(${value.words.join(" ")}) ;;`),
  );
  return `#compdef ${PROGRAMS.join(" ")}
_persisted_memory() {
  local at="" word
  local -a list
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "\${at:+$at }$word" in
      ${known.join("|")}) at="\${at:+$at }$word" ;;
    esac
  done
  case "$at" in
${lists.join("\n")}
  esac
  case "$at $words[CURRENT-1]" in
${values.join("\n")}
  esac
  _describe "persisted-memory" list || _files
}
if [ "$funcstack[1]" = "_persisted_memory" ]; then
  _persisted_memory "$@"
else
  compdef _persisted_memory ${PROGRAMS.join(" ")}
fi
`;
}

function fish(places: readonly Place[]): string {
  const known = places.flatMap(({ words }) => (words === "" ? [] : [quoted(words)]));
  const rule = (words: string, rest: string) =>
    `    complete -c $program -n '__persisted_memory_at "${words}"' ${rest}`;
  const rules = places.flatMap((place) =>
    place.next.map(({ word, meaning }) => {
      const what = word.startsWith("--") ? `-l ${word.slice(2)}` : `-f -a ${word}`;
      const value = place.values.find(({ option }) => option === word);
      const words = value === undefined ? what : `${what} -xa ${quoted(value.words.join(" "))}`;
      return rule(place.words, `${words} -d ${quoted(meaning)}`);
    }),
  );
  return `function __persisted_memory_at
    set -l at
    for word in (commandline -opc)[2..-1]
        if contains -- (string join -- ' ' $at $word) ${known.join(" ")}
            set -a at $word
        end
    end
    test "$at" = "$argv[1]"
end
for program in ${PROGRAMS.join(" ")}
${rules.join("\n")}
end
`;
}

/** Single quotes in bash and zsh; fish knows the backslash form of it too. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
