/** T2: everything that is ever run is named in SECURITY.md, with what trusts it and a test that is there. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { refloatConfig } from "../src/model/config.ts";

const ROOT = resolve(import.meta.dirname, "..");
const SRC = join(ROOT, "src");

/** Who starts a program, and which: a new one needs a line in SECURITY.md where its text may come from elsewhere. */
const STARTS: Readonly<Record<string, string>> = {
  "acts/git/commit-hooks.ts": "the user's commit hooks",
  "app/run/commit-ended.ts": "refloat itself",
  "app/transfer/other-side.ts": "the user's ssh",
  "cli/commands/demo/story.ts": "refloat itself, git",
  "cli/commands/demo/victim.ts": "refloat itself",
  "cli/screen/pager.ts": "the user's pager",
  "cli/review/edit-text.ts": "the user's editor",
  "app/run/user-command.ts": "--until, notify",
  "platform/open-in-browser.ts": "the user's browser",
  "platform/private-mounts.ts": "mount tools of the system",
  "platform/real-pipe.ts": "mkfifo",
  "platform/run-program.ts": "what it is given",
  "salvage/analysis/apart.ts": "refloat itself",
  "salvage/check/run-check.ts": "the user's check",
  "supervise/plain-run.ts": "the agent",
  "supervise/start-piped.ts": "the agent",
  "supervise/start-pty.ts": "the agent, stty",
  "workspace/git/clone-from.ts": "git",
  "workspace/git/repository.ts": "git",
  "workspace/git/version.ts": "git",
};
/** Who hands a text to the shell as the user's own command. */
const USER_COMMANDS = ["app/run/loop-parts.ts", "app/run/loop-story.ts"];

const sources = readdirSync(SRC, { recursive: true, encoding: "utf8" })
  .filter((path) => path.endsWith(".ts") && !path.endsWith(".test.ts"))
  .map((path) => ({ path, text: readFileSync(join(SRC, path), "utf8") }));
const those = (pattern: RegExp): string[] =>
  sources
    .filter(({ text }) => pattern.test(text))
    .map(({ path }) => path)
    .sort();

describe("what is run (T2)", () => {
  it("is started in known places only: a new one is first named here and in SECURITY.md", () => {
    const calls = /\b(?:spawn|spawnSync|exec|execFile|execSync|execFileSync|fork|runProgram)\(/;
    const starters = those(/from "node:child_process"|\brunProgram\b/).filter((path) =>
      calls.test(sources.find((one) => one.path === path)?.text ?? ""),
    );
    expect([...new Set([...starters, "supervise/start-pty.ts"])].sort()).toEqual(Object.keys(STARTS).sort());
    expect(those(/\brunUserCommand\(/).filter((path) => path !== "app/run/user-command.ts")).toEqual(
      USER_COMMANDS,
    );
  });

  it("by what is copied beside agents is the recorder and refloat itself, and nothing that a payload names", () => {
    const hooks = readdirSync(join(ROOT, "hooks")).filter((name) => name.endsWith(".js"));
    const starts = hooks.flatMap((name) => {
      const text = readFileSync(join(ROOT, "hooks", name), "utf8");
      return [...text.matchAll(/\bchild\.(\w+)\(([^,)]*\)?)/g)].map(([, , what]) => `${name}: ${what}`);
    });
    expect(starts).toEqual(["inbox-writer.js: recorderIn(place)"]);
    const script = readFileSync(join(ROOT, "hooks/refloat-hook"), "utf8");
    expect(script).not.toMatch(/\beval\b|\bsh -c\b|`\$/);
  });

  it("is in a table of SECURITY.md whose every row names a test that exists", () => {
    const text = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
    const table = text.split("## What is run")[1]?.split("\n## ")[0] ?? "";
    const rows = table.split("\n").filter((line) => line.startsWith("| ") && !line.startsWith("| value"));
    expect(rows.length).toBeGreaterThan(10);
    for (const row of rows) {
      const tests = [...row.matchAll(/`((?:test|src)\/[\w./-]+\.test\.ts)`/g)].map(([, path]) => path ?? "");
      expect(tests, row).not.toEqual([]);
      for (const path of tests) expect(existsSync(join(ROOT, path)), path).toBe(true);
    }
  });

  it("of a configuration is verify and notify: no other key is a command, and both need trust", () => {
    const texts = Object.entries(refloatConfig.shape).filter(
      ([, key]) => key.unwrap() instanceof z.ZodString,
    );
    const commands = texts.map(([key]) => key);
    expect(commands).toEqual(["verify", "notify"]);
    expect(readFileSync(join(SRC, "workspace/trust/trust.ts"), "utf8")).toContain(
      'export type CommandKey = "verify" | "notify";',
    );
  });
});
