import { defineConfig } from "vitest/config";
import { NotShown } from "./test/support/not-shown.ts";

// Three workers on two cores: the tests start real servers and real processes and then wait for them. Timeouts are
// generous because nothing asserts a time; they only end a test that hangs. A lost answer of a PostgreSQL
// server alone may be waited for for a minute, and then asked for again.
export default defineConfig({
  test: {
    include: ["src/**/*.test.ts", "test/**/*.test.ts"],
    globalSetup: ["test/support/compiled-setup.ts", "test/support/postgres-setup.ts"],
    // What was not shown is said before the runner's own summary, which closes the run.
    reporters: [new NotShown(), "default"],
    pool: "forks",
    maxWorkers: 3,
    testTimeout: 300_000,
    hookTimeout: 120_000,
    teardownTimeout: 30_000,
  },
});
