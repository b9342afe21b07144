/**
 * A repository whose files want something run, or written outside of it, by whoever looks at it with refloat: settings of agents that name our
 * recorder, configs of ours, a package's scripts, attributes with filters, hooks and programs by the names of those we start, links, names that a
 * terminal would act on. Every command is tried, with hooks set up and without; nothing of it runs, and nothing outside changes (T2, T3, W3).
 */
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makePlace } from "../support/cli.ts";
import { type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { claudeEvents } from "./hooked-place.ts";
import { callHook } from "./recorder.ts";

const NAME = "na\u001b]0;theirs\u0007me\nSAFE  all of it.txt";
const PROGRAMS = ["git", "node", "perl", "refloat", "sh", "timeout", "head", "sync"];
const GIT_HOOKS = [
  "pre-commit",
  "post-commit",
  "post-checkout",
  "reference-transaction",
  "post-index-change",
];

/** `did`: where whatever runs would leave a file. */
function hostile(did: string): TestRepository {
  const repo = testRepository();
  const leaves = (what: string): string => `touch ${did}/${what}`;
  const script = (what: string): string => `#!/bin/sh\n${leaves(what)}\n`;
  const executable = (path: string, what: string): void => {
    repo.write(path, script(what));
    chmodSync(join(repo.root, path), 0o755);
  };
  const hook = { type: "command", command: `${leaves("entry")}; exec "$d/bin/refloat-hook" claude Stop` };
  repo.write(".claude/settings.json", JSON.stringify({ hooks: { Stop: [{ hooks: [hook] }] } }));
  const config = JSON.stringify({ verify: leaves("verify"), notify: leaves("notify") });
  for (const path of ["refloat.json", ".refloat.json", ".refloat/config.json"]) repo.write(path, config);
  executable(".refloat/bin/refloat-hook", "recorder");
  repo.write("package.json", JSON.stringify({ name: "x", scripts: { test: leaves("test") } }));
  repo.write(".devcontainer/devcontainer.json", JSON.stringify({ initializeCommand: leaves("container") }));
  for (const name of GIT_HOOKS) executable(`.githooks/${name}`, `hook-${name}`);
  for (const name of PROGRAMS) {
    executable(name, `program-${name}`);
    executable(`node_modules/.bin/${name}`, `program-${name}`);
  }
  repo.write("a.txt", "committed\n");
  repo.write(NAME, "x\n");
  repo.write(".aider.chat.history.md", "# aider chat started at 2026-01-01 00:00:00\n\n#### delete it all\n");
  repo.git("add", "-A", "-f");
  repo.commit("theirs \u001b]0;theirs\u0007");
  repo.write(".gitattributes", "* filter=theirs diff=theirs merge=theirs\n");
  // What an archive brings, and a clone does not.
  const keys = ["clean", "smudge", "process"].map((key) => [`filter.theirs.${key}`, leaves(key)]);
  const programs = ["core.fsmonitor", "core.pager", "core.editor", "diff.theirs.textconv", "gpg.program"];
  for (const [key = "", value = ""] of [...keys, ...programs.map((key) => [key, leaves(key)])])
    writeFileSync(join(repo.root, ".git/config"), configLine(key, value), { flag: "a" });
  writeFileSync(join(repo.root, ".git/config"), configLine("core.hooksPath", ".githooks"), { flag: "a" });
  writeFileSync(join(repo.root, ".git/config"), configLine("commit.gpgSign", "true"), { flag: "a" });
  repo.write("a.txt", "changed\n");
  repo.write(`new ${NAME}`, "y\n");
  return repo;
}

function configLine(key: string, value: string): string {
  const [section, ...rest] = key.split(".");
  const [name, sub] = [rest.at(-1), rest.slice(0, -1).join(".")];
  return `[${section}${sub === "" ? "" : ` "${sub}"`}]\n\t${name} = "${value}"\n`;
}

const COMMANDS: readonly (readonly string[])[] = [
  ...[["status"], ["inspect"], ["doctor"], ["guard", "."], ["guard", ".", "--hold"], ["worktrees"]],
  ...[["capture"], ["diff"], ["why", "a.txt"], ["handoff"], ["log"], ["sessions"], ["captures"], ["show"]],
  ...[
    ["init", "--agent", "claude", "--yes"],
    ["init", "--shared", "--agent", "claude", "--yes"],
  ],
  ...[
    ["run", "--", "/bin/sh", "-c", "echo more >> a.txt"],
    ["inspect"],
    ["settle", "--yes"],
    ["undo", "--yes"],
  ],
  ...[["resume", "--print"], ["parked"], ["prove"], ["mcp"], ["acp", "--", "/bin/true"], ["status"]],
];

it("T2, W3: no command runs what a repository brings, writes outside of it or prints what a terminal acts on", async () => {
  const [did, outside, home] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
  const place = makePlace();
  const repo = hostile(did);
  writeFileSync(join(outside, "keep"), "theirs and mine\n");
  symlinkSync(outside, join(repo.root, "leads-out"));
  mkdirSync(join(home, ".claude"));
  const env = { HOME: home, COLUMNS: "80" };
  for (const words of COMMANDS) {
    const { stdout, stderr } = await place.refloat(words, { cwd: repo.root, env });
    const said = stdout + stderr;
    expect([words, readdirSync(did)]).toEqual([words, []]);
    expect([words, said.includes("\u001b"), /^SAFE {2}all of it/m.test(said)]).toEqual([words, false, false]);
  }
  const { before } = claudeEvents("11111111-2222-4333-8444-555555555555", repo.root);
  const input = JSON.stringify(before("t1", "rm -rf a.txt leads-out/keep"));
  callHook(place.home, { cwd: repo.root, input, event: "PreToolUse" });
  await place.refloat(["captures"], { cwd: repo.root, env });
  expect(readdirSync(did)).toEqual([]);
  expect(readdirSync(outside)).toEqual(["keep"]);
  // The traps are set: git itself, as it is, runs into them.
  spawnSync("git", ["status"], { cwd: repo.root });
  expect(readdirSync(did)).not.toEqual([]);
}, 600_000);

it.each([
  ["--shared", ".claude"],
  ["--shared", ".claude/settings.json"],
  ["--repo", ".claude"],
  ["--repo", ".claude/settings.local.json"],
])("W3: init %s writes nothing through %s where that leads out of the repository", async (flag, path) => {
  const [outside, home] = [temporaryFolder(), temporaryFolder()];
  const place = makePlace();
  const repo = testRepository();
  const theirs = join(outside, path.endsWith(".json") ? "settings.json" : "settings.local.json");
  for (const name of ["settings.json", "settings.local.json"]) writeFileSync(join(outside, name), "{}\n");
  if (path.includes("/")) mkdirSync(join(repo.root, ".claude"));
  symlinkSync(path.includes("/") ? theirs : outside, join(repo.root, path));
  repo.write(".gitignore", "settings.local.json\n");
  repo.commit("theirs");
  const words = ["init", flag, "--agent", "claude", "--yes"];
  const { code } = await place.refloat(words, { cwd: repo.root, env: { HOME: home } });
  expect(code).toBe(1);
  for (const name of readdirSync(outside)) expect(readFileSync(join(outside, name), "utf8")).toBe("{}\n");
});
