import type { Config } from "../../config.ts";
import { type ModelChoice, parseModel } from "../../model/models.ts";
import type { Check, Look } from "./check.ts";

/** Who would pay for merges and for the knowledge base. */
export const payers: Look = ({ config }) => [
  payer("merge", "MERGE_MODEL", config),
  payer("knowledge", "KNOWLEDGE_MODEL", config),
];

function payer(check: string, setting: "MERGE_MODEL" | "KNOWLEDGE_MODEL", config: Config): Check {
  const choice: ModelChoice = parseModel(config[setting]);
  const who =
    choice.kind === "none"
      ? "costs nothing"
      : `paid by ${choice.provider.payer({ env: config.env, useApiKey: false })}`;
  return { check: `payer-${check}`, level: "pass", message: `${setting} ${config[setting]}: ${who}` };
}
