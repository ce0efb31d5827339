import type { Environment } from "../paths.ts";

/**
 * Whether nobody sits at the session: `claude -p` and the SDKs, as Claude Code itself tells its hooks. The
 * first variable is of late versions (measured on 2.1.332: 0 under `-p`, 1 on a terminal); the second says it in all.
 */
export function isHeadless(env: Environment): boolean {
  return (
    env["CLAUDE_CODE_SESSION_ATTENDED"] === "0" || env["CLAUDE_CODE_ENTRYPOINT"]?.startsWith("sdk") === true
  );
}
