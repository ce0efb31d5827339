/** What the process ends with. Scripts rely on these numbers. */
export const Exit = {
  done: 0,
  findings: 1,
  usage: 2,
  environment: 3,
  refused: 4,
  model: 5,
  interrupted: 130,
} as const;

export type ExitCode = (typeof Exit)[keyof typeof Exit];

export interface UserErrorDetail {
  /** Stable, kebab-case, for scripts: `source-missing`, `unknown-project`. */
  code: string;
  message: string;
  /** What the person can do about it, as one sentence. */
  hint?: string;
  exit: ExitCode;
  cause?: unknown;
}

/** The one error class that a person sees. Anything else that reaches the top is a bug and says so. */
export class UserError extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  readonly exit: ExitCode;

  constructor(detail: UserErrorDetail) {
    super(detail.message, { cause: detail.cause });
    this.name = "UserError";
    this.code = detail.code;
    this.hint = detail.hint;
    this.exit = detail.exit;
  }
}

export function usageError(code: string, message: string, hint?: string): UserError {
  return new UserError({ code, message, exit: Exit.usage, ...(hint === undefined ? {} : { hint }) });
}

/**
 * The exit code of a run whose parts failed differently: the first that applies of interrupted,
 * environment, model, refused, findings.
 */
export function worstExit(codes: readonly ExitCode[]): ExitCode {
  const order = [Exit.interrupted, Exit.usage, Exit.environment, Exit.model, Exit.refused, Exit.findings];
  return order.find((code) => codes.includes(code)) ?? Exit.done;
}
