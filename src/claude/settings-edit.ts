import { type JSONPath, type Node, findNodeAtLocation, parseTree } from "jsonc-parser";
import { HOOKS, type HookName, type HookProgram, hookCommand, hooksIn } from "./hook-entries.ts";

export type Edited = { kind: "edited"; text: string } | { kind: "refused"; reason: string };

/**
 * A settings file with these hooks of ours in it, each once and with this program; others of ours stay.
 * Everything that is not ours keeps its bytes. `text` is without a byte order mark.
 */
export function withHooks(text: string, names: readonly HookName[], program: HookProgram): Edited {
  const reason = unusable(text);
  if (reason !== null) return { kind: "refused", reason };
  return { kind: "edited", text: names.reduce((edited, name) => withHook(edited, name, program), text) };
}

/** A settings file without any hook of ours. What held nothing else leaves with it. */
export function withoutHooks(text: string): Edited {
  const reason = unusable(text);
  if (reason !== null) return { kind: "refused", reason };
  const ours = hooksIn(parse(text)).filter((hook) => hook.name !== null);
  return { kind: "edited", text: removeHooks(text, ours) };
}

function withHook(text: string, name: HookName, program: HookProgram): string {
  const kind = HOOKS[name];
  const command = hookCommand(name, program);
  const ours = hooksIn(parse(text)).filter((hook) => hook.name === name);
  const [only] = ours;
  if (only !== undefined && ours.length === 1 && only.event === kind.event) {
    return only.command === command ? text : replace(text, [...only.path, "command"], command);
  }
  const group = {
    ...("matcher" in kind ? { matcher: kind.matcher } : {}),
    hooks: [{ type: "command", command, timeout: kind.timeout }],
  };
  return append(removeHooks(text, ours), kind.event, group);
}

function append(text: string, event: string, group: object): string {
  const whole = text.trim() === "" ? `{}${text}` : text;
  const settings: unknown = JSON.parse(whole);
  const hooks = Reflect.get(Object(settings), "hooks");
  if (hooks === undefined) return insert(whole, [], "hooks", { [event]: [group] });
  if (!(event in Object(hooks))) return insert(whole, ["hooks"], event, [group]);
  return insert(whole, ["hooks", event], null, group);
}

/** The last first, so that the paths of the others stay right. */
function removeHooks(text: string, hooks: readonly { path: JSONPath }[]): string {
  return hooks.toReversed().reduce((edited, { path }) => remove(edited, path), text);
}

/** Removes a hook, with the group, the event and the section if they held nothing else. */
function remove(text: string, path: JSONPath): string {
  const tree = parseTree(text);
  let least = path;
  for (const list of [path.slice(0, 4), path.slice(0, 2), path.slice(0, 1)]) {
    if ((nodeAt(tree, list).children?.length ?? 0) > 1) break;
    least = list.length === 4 ? path.slice(0, 3) : list;
  }
  return cut(text, nodeAt(tree, least));
}

/** An element of an array or a property of an object, with the comma that it no longer needs. */
function cut(text: string, value: Node): string {
  const node = value.parent?.type === "property" ? value.parent : value;
  const siblings = node.parent?.children ?? [];
  const at = siblings.indexOf(node);
  const before = siblings[at - 1];
  const after = siblings[at + 1];
  if (before !== undefined) return text.slice(0, endOf(before)) + text.slice(endOf(node));
  if (after !== undefined) return text.slice(0, node.offset) + text.slice(after.offset);
  const container = node.parent ?? node;
  return text.slice(0, container.offset + 1) + text.slice(endOf(container) - 1);
}

/** At the end of an object (with a key) or an array, in the file's own indentation and line ends. */
function insert(text: string, path: JSONPath, key: string | null, value: unknown): string {
  const container = nodeAt(parseTree(text), path);
  const last = container.children?.at(-1);
  const { unit, eol } = styleOf(text);
  const inner = last === undefined ? indentAt(text, container.offset) + unit : indentAt(text, last.offset);
  const json = JSON.stringify(value, null, unit).replaceAll("\n", `${eol}${inner}`);
  const entry = `${eol}${inner}${key === null ? "" : `${JSON.stringify(key)}: `}${json}`;
  if (last !== undefined) return `${text.slice(0, endOf(last))},${entry}${text.slice(endOf(last))}`;
  const rest = text.slice(container.offset + 1);
  const closing = /^\s*\n/.test(rest) ? "" : `${eol}${indentAt(text, container.offset)}`;
  return `${text.slice(0, container.offset + 1)}${entry}${closing}${rest}`;
}

function replace(text: string, path: JSONPath, value: string): string {
  const node = nodeAt(parseTree(text), path);
  return text.slice(0, node.offset) + JSON.stringify(value) + text.slice(endOf(node));
}

function nodeAt(tree: Node | undefined, path: JSONPath): Node {
  const node = tree && findNodeAtLocation(tree, path);
  if (node === undefined) throw new Error(`nothing at ${path.join(".")}`);
  return node;
}

function endOf(node: Node): number {
  return node.offset + node.length;
}

/** The blanks that the line of this place begins with. */
function indentAt(text: string, offset: number): string {
  const line = text.slice(text.lastIndexOf("\n", offset - 1) + 1, offset);
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}

function styleOf(text: string): { unit: string; eol: string } {
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? "  ";
  return { unit, eol: text.includes("\r\n") ? "\r\n" : "\n" };
}

/** Why Claude Code would not read the file either, or why an edit could hit the wrong place. */
function unusable(text: string): string | null {
  let settings: unknown;
  try {
    settings = parse(text);
  } catch (error) {
    return `it is not valid JSON (${error instanceof Error ? error.message : String(error)})`;
  }
  if (!isObject(settings)) return "it is not a JSON object";
  const keys = parseTree(text)?.children?.map((property) => String(property.children?.[0]?.value)) ?? [];
  if (keys.filter((key) => key === "hooks").length > 1) return 'it has two "hooks"';
  const hooks = settings["hooks"] ?? {};
  if (!isObject(hooks)) return 'its "hooks" is not an object';
  const wrong = Object.keys(hooks).find((event) => !Array.isArray(hooks[event]));
  return wrong === undefined ? null : `its "hooks.${wrong}" is not an array`;
}

/** An empty file is one without settings. */
function parse(text: string): unknown {
  return text.trim() === "" ? {} : JSON.parse(text);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
