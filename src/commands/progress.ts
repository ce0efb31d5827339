import { Presets, SingleBar } from "cli-progress";

export interface Progress {
  start(total: number): void;
  update(done: number): void;
  stop(): void;
}

const NONE: Progress = { start: () => undefined, update: () => undefined, stop: () => undefined };

/** A line on stderr for a person: rows done, rows a second, time left. Nothing when nobody looks. */
export function createProgress(interactive: boolean, what: string): Progress {
  if (!interactive) return NONE;
  const format = `${what} {bar} {value}/{total} · {rate} a second · {eta_formatted} left`;
  const bar = new SingleBar(
    { format, stream: process.stderr, clearOnComplete: true, hideCursor: true, barsize: 24, etaBuffer: 50 },
    Presets.shades_classic,
  );
  let began = 0;
  const rate = (done: number) => Math.round(done / Math.max(0.001, (performance.now() - began) / 1000));
  return {
    start: (total) => {
      began = performance.now();
      bar.start(total, 0, { rate: 0 });
    },
    update: (done) => bar.update(done, { rate: rate(done) }),
    stop: () => bar.stop(),
  };
}
