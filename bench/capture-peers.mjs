// @ts-check
// P6 and P7 beside what others do instead, as the very git commands they run (bench/peers measures other stores). In
// repositories of 1,000, 10,000 and 100,000 files, twenty of them with new bytes before every single operation:
//   known      our capture of those twenty paths, durable
//   status     our capture by status, durable
//   git status `git status -uall` alone: what any of them must pay at least
//   temp index a copied index, `git add -A`, `git write-tree` (OpenCode, pi-rewind-hook, gptme)
//   shadow     `git add -A` and `git commit` in a repository of its own over the same tree (Roo, Gemini CLI, hermes)
//   stash      `git stash create` and the list of untracked files (Cline)
// Ours sync what they acknowledge; git's commands here do not. Prints a table, writes bench/out/captures.json.
//   node bench/capture-peers.mjs [FILES ...]
import { copyFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { join } from "node:path";
import { openStore } from "refloat";
import { takeCapture } from "../dist/workspace/captures/take-capture.js";
import { openWorkspace } from "../dist/workspace/opening/workspace.js";
import { OUT, scratchDirectory } from "./raw.mjs";
import { CHANGED, change, changedPaths, git, repositoryOf } from "./repositories.mjs";

/** Each operation so often; they take turns, so that a disturbance meets all of them. */
const ROUNDS = 5;
const sizes = process.argv.slice(2).map(Number);
const results = [];
for (const files of sizes.length > 0 ? sizes : [1000, 10_000, 100_000]) results.push(await measure(files));
print();

/** @param {number} files */
async function measure(files) {
  const root = repositoryOf(files);
  const dir = scratchDirectory("captures");
  const store = await openStore(join(dir, "store.db"), { thread: false });
  const { id: session } = await store.begin({ agent: "bench", workspace: root, captures: "off" });
  const env = process.env;
  const [index, shadow] = [join(dir, "index"), join(dir, "shadow")];
  const own = { GIT_DIR: shadow, GIT_WORK_TREE: root };
  git(root, ["init", "-q"], own);
  git(root, ["config", "gc.auto", "0"], own);
  git(root, ["add", "-A"], own);
  git(root, ["commit", "-qm", "first"], own);
  const capture = (more) =>
    takeCapture(store.raw, openWorkspace(root, { env }), { env, session, reason: "timer", ...more });
  const operations = {
    known: () => capture({ paths: changedPaths(files) }),
    status: () => capture({}),
    "git status": () => git(root, ["--no-optional-locks", "status", "--porcelain=v2", "-z", "-uall"]),
    "temp index": () => {
      copyFileSync(join(root, ".git", "index"), index);
      git(root, ["add", "-A"], { GIT_INDEX_FILE: index });
      git(root, ["write-tree"], { GIT_INDEX_FILE: index });
    },
    shadow: () => {
      git(root, ["add", "-A"], own);
      git(root, ["commit", "-qm", "next", "--no-verify"], own);
    },
    stash: () => {
      git(root, ["stash", "create"]);
      git(root, ["ls-files", "-z", "--others", "--exclude-standard"]);
    },
  };
  /** @type {Record<string, number[]>} */
  const times = Object.fromEntries(Object.keys(operations).map((name) => [name, []]));
  for (let round = -1; round < ROUNDS; round++) {
    for (const [name, run] of Object.entries(operations)) {
      change(root, files);
      const startedMs = performance.now();
      await run();
      if (round >= 0) times[name]?.push(performance.now() - startedMs); // the first round warms up
    }
  }
  await store.close();
  rmSync(dir, { recursive: true });
  const median = Object.fromEntries(
    Object.entries(times).map(([name, all]) => [name, all.toSorted((a, b) => a - b)[ROUNDS >> 1] ?? 0]),
  );
  return { files, median };
}

function print() {
  const names = Object.keys(results[0]?.median ?? {});
  console.log(
    `${CHANGED} changed paths; medians of ${ROUNDS} as ratios to \`git status -uall\` of the same tree; load ${loadavg()[0]?.toFixed(1)}\n`,
  );
  console.log(`| files | ${names.join(" | ")} |\n|---|${names.map(() => "---").join("|")}|`);
  for (const { files, median } of results) {
    const base = median["git status"] ?? 1;
    const cells = names.map((name) => {
      const ms = median[name] ?? 0;
      return name === "git status" ? `1 (${ms.toFixed(0)} ms)` : `${(ms / base).toFixed(2)}x`;
    });
    console.log(`| ${files.toLocaleString("en-US")} | ${cells.join(" | ")} |`);
  }
  writeFileSync(
    join(OUT, "captures.json"),
    `${JSON.stringify({ at: new Date().toISOString(), results }, null, 2)}\n`,
  );
}
