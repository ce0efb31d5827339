import type { z } from "zod";
import { usageError } from "../errors.ts";

/** A command's options, checked; a usage error names each that is wrong. */
export function checkOptions<Schema extends z.ZodType>(
  schema: Schema,
  options: Readonly<Record<string, unknown>>,
): z.output<Schema> {
  const result = schema.safeParse(options);
  if (result.success) return result.data;
  const wrong = result.error.issues.map(
    ({ path, message }) =>
      `--${String(path[0]).replaceAll(/[A-Z]/g, (sign) => `-${sign.toLowerCase()}`)}: ${message}`,
  );
  throw usageError("bad-option", wrong.join("; "));
}
