import { type Config, SETTINGS, type SettingName } from "../../config.ts";
import type { Look } from "./check.ts";

/** What is not as it comes, and where that was found. */
export const settings: Look = ({ config }) => {
  const changed = Object.entries(resolvedSettings(config)).filter(([, { origin }]) => origin !== "default");
  const words = changed.map(([name, { value, origin }]) => `${name}=${String(value)} (${origin})`);
  return [
    {
      check: "settings",
      level: "pass",
      message: words.length === 0 ? "all at their defaults" : words.join(", "),
    },
  ];
};

/** Every setting with the value that counts and where it came from. */
export function resolvedSettings(config: Config): Record<string, { value: unknown; origin: string }> {
  const names = Object.keys(SETTINGS) as SettingName[];
  return Object.fromEntries(
    names.map((name) => [name, { value: config[name] ?? null, origin: config.origins[name] }]),
  );
}
