import { existsSync } from "node:fs";
import { join } from "node:path";
import { type Environment, homeDirectory } from "../paths.ts";
import { hostOf, isLoopback } from "./loopback.ts";

/** Of Claude Code's own variables these say where a login, a program or a certificate is, never who pays. */
const KEPT =
  /^(CLAUDE_CONFIG_DIR|CLAUDE_CODE_OAUTH_TOKEN|CLAUDE_CODE_GIT_BASH_PATH|CLAUDE_CODE_CLIENT_(CERT|KEY|KEY_PASSPHRASE)|ANTHROPIC_DEFAULT_\w+_MODEL)$/;
/** These choose the account, the gateway or the cloud that is billed. */
const PAYING = /^(ANTHROPIC_\w+|CLAUDE_CODE_USE_\w+|CLAUDE_CODE_SKIP_\w+_AUTH)$/;
const FOREIGN = /^(ANTHROPIC_|CLAUDE_|CLAUDECODE$)/;

/** What a started Claude Code must not do on its own; the variables are all that old versions know. */
const OURS = {
  /** Our own hooks do nothing under it. */
  PERSISTED_MEMORY_INTERNAL: "1",
  /** claude-mem's hooks do nothing under it. */
  CLAUDE_MEM_INTERNAL: "1",
  CLAUDE_CODE_DISABLE_ATTACHMENTS: "1",
  CLAUDE_CODE_DISABLE_CLAUDE_MDS: "1",
  CLAUDE_CODE_DISABLE_AUTO_MEMORY: "1",
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
  // a cache that nobody reads again costs twice the input price
  DISABLE_PROMPT_CACHING: "1",
  // by default a busy server holds a call up for three minutes
  CLAUDE_CODE_MAX_RETRIES: "2",
};

export interface ChildEnvironment {
  env: Environment;
  /** What a person should know about what was left out. */
  warnings: string[];
}

/**
 * The environment that Claude Code is started with. Its own variables get through by name only, so that
 * a new one that changes who pays does not; with `useApiKey` those that choose the payer do.
 */
export function claudeEnvironment(env: Environment, useApiKey: boolean): ChildEnvironment {
  const warnings: string[] = [];
  const kept = Object.entries(env).filter(([name, value]) => {
    if (!FOREIGN.test(name) || KEPT.test(name)) return true;
    if (useApiKey) return PAYING.test(name);
    if (name === "ANTHROPIC_AUTH_TOKEN") return isGatewayToken(env);
    if (name !== "ANTHROPIC_BASE_URL" || !value) return false;
    if (isLoopback(value)) return true;
    warnings.push(
      `ANTHROPIC_BASE_URL is not used, a subscription's login must not go to ${hostOf(value) ?? "an unreadable address"}; --use-api-key lets it through`,
    );
    return false;
  });
  return { env: { ...Object.fromEntries(kept), ...OURS }, warnings };
}

/** With a gateway on this machine and no login, its token is the only one there is, and goes nowhere else. */
function isGatewayToken(env: Environment): boolean {
  return isLoopback(env["ANTHROPIC_BASE_URL"] ?? "") && !hasLogin(env);
}

function hasLogin(env: Environment): boolean {
  const folder = env["CLAUDE_CONFIG_DIR"] || join(homeDirectory(env), ".claude");
  return Boolean(env["CLAUDE_CODE_OAUTH_TOKEN"]) || existsSync(join(folder, ".credentials.json"));
}

/** Which account Claude Code's calls are charged to, in words for a person. */
export function claudePayer(env: Environment, useApiKey: boolean): string {
  if (useApiKey) {
    const cloud = Object.keys(env).find((name) => name.startsWith("CLAUDE_CODE_USE_") && env[name]);
    const key = ["ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_API_KEY"].find((name) => env[name]);
    if (cloud !== undefined) return `the cloud account that ${cloud} selects`;
    if (key !== undefined) return `the account of ${key}, billed by tokens`;
  }
  if (env["CLAUDE_CODE_OAUTH_TOKEN"]) return "the Claude account of CLAUDE_CODE_OAUTH_TOKEN";
  if (env["ANTHROPIC_AUTH_TOKEN"] && isGatewayToken(env))
    return "the gateway on this machine, with ANTHROPIC_AUTH_TOKEN";
  const ignored = ["ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN"].filter((name) => env[name]);
  const note =
    useApiKey || ignored.length === 0 ? "" : ` (${ignored.join(" and ")} not used without --use-api-key)`;
  return `the Claude account that Claude Code is logged in to${note}`;
}
