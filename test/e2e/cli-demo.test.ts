/** The demo, the examples and the completion scripts: what a stranger tries first. */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { makePlace } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const ROOT = join(import.meta.dirname, "../..");

/** The blocks of "Try it", line by line. */
function shownInReadme(): string[] {
  const [, section = ""] =
    /^## Try it\n([\s\S]*?)^## /m.exec(readFileSync(join(ROOT, "README.md"), "utf8")) ?? [];
  const blocks = [...section.matchAll(/^```text\n([\s\S]*?)^```/gm)].map(([, block = ""]) => block);
  expect(blocks).toHaveLength(2);
  return withoutNames(blocks.join("\n")).filter((line) => line !== "");
}

/** Ids, hashes, process numbers and times are new each time: each is found where the text itself tells what it is. */
function withoutNames(text: string): string[] {
  const found = (pattern: RegExp): string => pattern.exec(text)?.[1] ?? "nothing";
  const session = found(/session `([0-9a-z]{20})`/);
  const plan = found(/undo --plan ([0-9a-z]{8})/);
  return text
    .replaceAll(session, "SESSION")
    .replaceAll(session.slice(0, 8), "SESSION")
    .replaceAll(plan, "PLAN")
    .replace(/\b(commit(?: is)?|on main at) [0-9a-f]{12}/g, "$1 COMMIT")
    .replace(/\bg[0-9a-f]{12}\b/g, "GROUP")
    .replace(/\b(kill -9|running:) \d+/g, "$1 PID")
    .replace(/\bof (?:just now|\d+ (?:s|min) ago)/g, "of a moment ago")
    .split("\n")
    .map((line) => line.trim());
}

describe("demo", () => {
  it("kills a process with SIGKILL in the middle of a call, finds every promise kept, and leaves nothing behind", async () => {
    const place = makePlace();
    const temporary = temporaryFolder();
    const { code, json } = await place.json(["demo"], { env: { TMPDIR: temporary } });
    expect(code).toBe(0);
    expect(json).toMatchObject({ ok: true, killed: { signal: "SIGKILL" }, folder: null });
    expect(json.findings).toHaveLength(8);
    for (const finding of json.findings) expect(finding).toMatchObject({ kept: true });
    expect(json.story.map(({ command }: { command: string[] }) => command[0])).toEqual([
      ...["run", "status", "inspect", "settle", "undo", "handoff", "resume"],
    ]);
    for (const step of json.story) expect(step).toMatchObject({ kept: true });
    expect(readdirSync(temporary)).toEqual([]);
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("is readable at 80 columns, ends with what to try next, and README.md shows nothing but lines of it, in their order", async () => {
    const { code, stdout, stderr } = await makePlace().refloat(["demo", "--fast"]);
    expect([code, stderr]).toEqual([0, ""]);
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
    expect(stdout).toMatch(/kill -9 \d+/);
    expect(stdout).toContain("15 of 15 promises kept.");
    expect(stdout).toContain("may have happened");
    expect(stdout).toContain("Try next");
    expect(stdout).not.toContain("✘");
    const said = withoutNames(stdout);
    let from = 0;
    for (const line of shownInReadme()) {
      const at = said.indexOf(line, from);
      expect(at, line).toBeGreaterThanOrEqual(from);
      from = at + 1;
    }
  });

  it("keeps its store with --keep, and the commands it names work on it", async () => {
    const place = makePlace();
    const { json } = await place.json(["demo", "--keep"]);
    onTestFinished(() => rmSync(json.folder, { recursive: true, force: true }));
    const store = join(json.folder, "refloat.db");
    expect(existsSync(store)).toBe(true);
    const shown = await place.refloat(["show", "demo", "--store", store]);
    expect(shown.stdout).toContain("2nd try");
    expect((await place.refloat(["log", "demo", "--store", store])).stdout).toContain("(cut off)");
    expect((await place.refloat(["store", "check", "--store", store])).code).toBe(0);
  });
});

describe("the examples", () => {
  const example = (name: string, args: readonly string[] = [], home = temporaryFolder()) =>
    spawnSync(process.execPath, [join(ROOT, "examples", name), ...args], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, REFLOAT_HOME: home },
      encoding: "utf8",
      timeout: 60_000,
    });

  it("run an agent loop to its end on the built package", () => {
    const ran = example("agent-loop.mjs");
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    expect(ran.stdout.split("\n").slice(0, 3)).toEqual(["calls read_file", "calls bash", "calls deploy"]);
  });

  it("go on after a kill: the finished calls are not made again, the open one is looked into first", () => {
    const ran = example("resume-after-kill.mjs");
    expect([ran.status, ran.stderr]).toEqual([0, ""]);
    const [first = "", second = ""] = ran.stdout.split("Second try");
    expect(first).toContain("(SIGKILL)");
    expect(second).toContain("goes on as try 2");
    expect(second).toContain("calls deploy_status");
    expect(second).not.toMatch(/calls (read_file|bash|deploy)$/m);
    expect(second).toContain("finished, attempt 2");
  });
});

describe("completion", () => {
  it("is a script each shell accepts, naming every command", async () => {
    const place = makePlace();
    for (const shell of ["bash", "zsh", "fish"]) {
      const { code, stdout } = await place.refloat(["completion", shell]);
      expect(code).toBe(0);
      for (const word of ["sessions", "backup", "--salvage", "--json"]) {
        expect(stdout).toContain(shell === "fish" ? word.replace(/^--/, "-l ") : word);
      }
    }
    expect((await place.refloat(["completion", "tcsh"])).code).toBe(64);
  });

  it("completes commands, members of a family, flags and choices in a real bash", async () => {
    const place = makePlace();
    const { stdout } = await place.refloat(["completion", "bash"]);
    const script = join(place.home, "completion.bash");
    writeFileSync(script, stdout);
    const complete = (...words: string[]): string[] => {
      const line = words.map((word) => `'${word}'`).join(" ");
      const program = `source "${script}"; COMP_WORDS=(refloat ${line}); COMP_CWORD=${words.length}; _refloat; printf '%s\\n' "\${COMPREPLY[@]}"`;
      const ran = spawnSync("bash", ["--norc", "-c", program], { encoding: "utf8" });
      expect(ran.stderr).toBe("");
      return ran.stdout.trimEnd().split("\n");
    };
    expect(complete("sess")).toEqual(["sessions"]);
    expect(complete("store", "")).toEqual(
      expect.arrayContaining(["info", "check", "backup", "export", "import", "gc"]),
    );
    expect(complete("store", "")).not.toContain("sessions");
    expect(complete("-C", "/tmp", "store", "check", "--sal")).toEqual(["--salvage"]);
    expect(complete("log", "--export", "openai-r")).toEqual(["openai-responses"]);
    expect(complete("completion", "f")).toEqual(["fish"]);
  });
});
