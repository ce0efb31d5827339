/**
 * Where our own files live: XDG on every system, so that a folder that a hook runs in never decides.
 * Takes the environment as a value. A session waits for this file: it loads nothing, not even Node's modules.
 */
export interface Paths {
  /** `config.json` */
  config: string;
  /** the digest store and the knowledge bases */
  data: string;
  /** last run, queues, undo snapshots, locks, logs: what may be lost without losing memory */
  state: string;
}

export type Environment = Readonly<Record<string, string | undefined>>;

export function resolvePaths(env: Environment): Paths {
  const home = homeDirectory(env);
  const base = (name: string, fallback: string) => `${env[name] || `${home}/${fallback}`}/persisted-memory`;
  return {
    config: base("XDG_CONFIG_HOME", ".config"),
    data: base("XDG_DATA_HOME", ".local/share"),
    state: base("XDG_STATE_HOME", ".local/state"),
  };
}

/** `HOME` wins over the user database, so that a test or a service can move everything at once. */
export function homeDirectory(env: Environment): string {
  return env["HOME"] || env["USERPROFILE"] || process.getBuiltinModule("node:os").homedir();
}

/** `~` and `~/…` as shells read them; anything else as it is. */
export function expandHome(path: string, env: Environment): string {
  if (path === "~") return homeDirectory(env);
  return /^~[/\\]/.test(path) ? `${homeDirectory(env)}/${path.slice(2)}` : path;
}
