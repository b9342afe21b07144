import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["bench/peers/langgraph-suite.test.ts"],
    globalSetup: ["test/support/postgres-setup.ts"],
    pool: "forks",
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
});
