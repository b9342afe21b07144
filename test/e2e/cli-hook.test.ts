/** `.pre-commit-hooks.yaml`, run as pre-commit runs it: its entry with the staged files that match, in the repository. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it } from "vitest";
import { BIN, makePlace, type Place } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";
import { sample } from "../workflow/samples.ts";

const HOOKS = readFileSync(join(import.meta.dirname, "../../.pre-commit-hooks.yaml"), "utf8");
/** One hook with one scalar per line; pre-commit's own reader is not needed to find them. */
const field = (name: string): string => new RegExp(`^[- ] ${name}: (.*)$`, "m").exec(HOOKS)?.[1] ?? "";

/** What `language: node` makes of the package: a folder on the path with its bin in it. */
function installed(): string {
  const folder = temporaryFolder();
  symlinkSync(BIN, join(folder, "refloat"));
  return folder;
}

function stage(place: Place, files: Record<string, string>): void {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: place.workspace, encoding: "utf8" });
  git("init", "-q");
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(place.workspace, name)), { recursive: true });
    writeFileSync(join(place.workspace, name), text);
  }
  git("add", "-A");
}

function runHook(place: Place) {
  const staged = execFileSync("git", ["diff", "--cached", "--name-only", "-z"], {
    cwd: place.workspace,
    encoding: "utf8",
  });
  const matching = staged.split("\0").filter((name) => name && new RegExp(field("files")).test(name));
  const [program = "", ...args] = field("entry").split(" ");
  const path = `${installed()}:${dirname(process.execPath)}:${process.env.PATH}`;
  const env = { PATH: path, HOME: place.home, REFLOAT_HOME: place.home };
  const { status, stdout, stderr } = spawnSync(program, [...args, ...matching], {
    cwd: place.workspace,
    env,
    encoding: "utf8",
  });
  return { matching, code: status, stdout, stderr };
}

it("lets a commit with warnings pass, names every file, and changes nothing", () => {
  const place = makePlace();
  stage(place, {
    "agent-output/a/00-session-state.json": sample("apex-7fe25a92").text,
    "agent-output/a/other.json": "{}",
    "my-00-session-state.json": sample("v1.0-template").text,
  });
  const { matching, code, stdout, stderr } = runHook(place);
  expect(matching).toEqual(["agent-output/a/00-session-state.json", "my-00-session-state.json"]);
  expect([code, stderr], stdout).toEqual([0, ""]);
  expect(stdout).toContain("agent-output/a/00-session-state.json:");
  expect(stdout).toContain("0 errors");
  const dirty = execFileSync("git", ["diff", "--name-only"], { cwd: place.workspace, encoding: "utf8" });
  expect(dirty).toBe("");
});

it("stops a commit with a broken file, with the line and the command that helps", () => {
  const place = makePlace();
  stage(place, { "00-session-state.json": sample("apex-7fe25a92").text.slice(0, 500) });
  const { code, stdout } = runHook(place);
  expect(code).toBe(1);
  expect(stdout).toMatch(/00-session-state\.json:\d+: error not-json/);
  expect(stdout).toContain("refloat state repair 00-session-state.json");
});
