export interface Redaction {
  text: string;
  /** How many secrets were masked. */
  masked: number;
}

/** What every mask begins with. */
export const MASK = "[masked: ";

/** What stands in a secret's place. */
export function mask(kind: string): string {
  return `${MASK}${kind}]`;
}
