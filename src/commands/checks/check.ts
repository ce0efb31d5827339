import type { Database } from "bun:sqlite";
import { UserError } from "../../errors.ts";
import { readStore } from "../../store/peek.ts";
import type { Context } from "../command.ts";

/** One line of `doctor`. */
export interface Check {
  /** Stable, for scripts: `store`, `hooks`. */
  check: string;
  level: "pass" | "warn" | "fail";
  message: string;
  hint?: string;
  /** Something safe that `--fix` does about it; never anything that another program or the person wrote. */
  fix?: Fix;
}

export interface Fix {
  /** What it does, as a sentence goes on after "fixed: ". */
  does: string;
  apply: () => void;
}

/** Looks at one thing. Expected trouble becomes a check that failed. */
export type Look = (context: Context) => Promise<Check[]> | Check[];

/** A look that ended in an error for the person is itself a finding. */
export async function findings(check: string, look: Look, context: Context): Promise<Check[]> {
  try {
    return await look(context);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return [
      {
        check,
        level: "fail",
        message: error.message,
        ...(error.hint === undefined ? {} : { hint: error.hint }),
      },
    ];
  }
}

/** From our store, for all looks but its own: what is wrong with it is said once. `null`: no store, or none that can be read. */
export function readIfUsable<Result>(path: string, read: (db: Database) => Result): Result | null {
  const result = readStore(path, read);
  return result === null || result.kind === "unusable" ? null : result.value;
}
