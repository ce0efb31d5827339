import { defineConfig } from "vitest/config";

/** The slow suites: the real Claude Code CLI, the real claude-mem, many kills, scale. */
export default defineConfig({
  test: {
    include: ["test/real/**/*.test.ts"],
    pool: "forks",
    fileParallelism: false,
    testTimeout: 600_000,
    hookTimeout: 600_000,
  },
});
