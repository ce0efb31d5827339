/** Figures as a person reads them, the same in every command. */
export function figure(value: number): string {
  return value.toLocaleString("en-US");
}

/** `1 row`, `1,640 rows`. */
export function count(value: number, one: string, many = `${one}s`): string {
  return `${figure(value)} ${value === 1 ? one : many}`;
}

/** `42 %`; small ones with a decimal. */
export function percent(share: number): string {
  return `${(share * 100).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;
}

/** `2026-05-03`; empty for no date. */
export function day(epoch: number | null): string {
  const date = new Date(epoch ?? 0);
  return epoch === null || epoch <= 0 || Number.isNaN(date.valueOf()) ? "" : date.toISOString().slice(0, 10);
}
