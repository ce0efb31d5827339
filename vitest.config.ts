import { defineConfig } from "vitest/config";

/** The suite of every day: offline, no model, no real Claude Code; under two minutes. */
export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    exclude: ["test/real/**"],
    pool: "forks",
    maxWorkers: "100%", // by default one core is left idle, half of them on a small machine
    testTimeout: 30_000,
  },
});
