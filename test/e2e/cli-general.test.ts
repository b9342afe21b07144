/** What every command has in common: version, help, usage errors, flags, streams (DESIGN 10). */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { BIN, cutOffSession, makePlace } from "../support/cli.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const { version } = JSON.parse(readFileSync("package.json", "utf8")) as { version: string };
const ESC = "\x1b[";

describe("the version and the help", () => {
  it("answers --version with the package's version, and loads none of its own modules for it (P9)", async () => {
    const place = makePlace();
    const ran = await place.refloat(["--version"], {
      // Any module of ours that is loaded besides the program itself would fail.
      node: ["--import", refusing(/\/dist\/(?!cli\/bin\.js|package\.json)/)],
    });
    expect(ran).toEqual({ code: 0, signal: null, stdout: `${version}\n`, stderr: "" });
    expect((await place.json(["--version"])).json).toEqual({ schema: "refloat.version/1", version });
  });

  it("lists what exists and where to begin, for --help and for `help`, on stdout with exit 0", async () => {
    const place = makePlace();
    const asked = await place.refloat(["--help"]);
    expect(asked).toMatchObject({ code: 0, stderr: "" });
    for (const word of ["inspect", "undo", "worktrees", "help all"]) expect(asked.stdout).toContain(word);
    // Eight commands at most, the rest is a page further; what is not built yet is absent, never a stub.
    const listed = /Commands\n((?: .*\n)*)/.exec(asked.stdout)?.[1] ?? "";
    const words = [...listed.matchAll(/^ {2}(\w+)/gm)].map(([, word]) => word ?? "");
    const eight = ["status", "run", "resume", "inspect", "settle", "undo", "worktrees", "init"];
    expect(words).toEqual(eight.filter((word) => words.includes(word)));
    for (const word of words) expect((await place.refloat([word, "--help"])).code).toBe(0);
    expect((await place.refloat(["help"])).stdout).toBe(asked.stdout);
    for (const line of asked.stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(80);
  });

  it("shows every command with `help all` and each one's flags and examples with `help COMMAND`", async () => {
    const place = makePlace();
    const all = await place.refloat(["help", "all"]);
    for (const words of ["claim break", "store import", "completion"]) expect(all.stdout).toContain(words);
    const one = await place.refloat(["help", "store", "check"]);
    expect(one.stdout).toContain("--salvage");
    expect(one.stdout).toContain("Examples:");
    expect((await place.refloat(["store", "check", "--help"])).stdout).toBe(one.stdout);
    expect(await place.refloat(["help", "nonsense"])).toMatchObject({ code: 64, stdout: "" });
  });
});

describe("usage errors", () => {
  it.each([
    [["sesions"], "Did you mean sessions?"],
    [["sessions", "--al"], "Did you mean --all?"],
    [["store", "chek"], "Did you mean check?"],
    [["sessions", "--color", "pink"], "auto"],
    [["store", "backup"], "path"],
    [["sessions", "one-too-many"], "Too many arguments"],
    [["sessions", "--all", "--here"], "exclude"],
    [["log", "--last", "0"], "--last"],
    [["log", "--follow", "--export", "anthropic"], "--follow"],
    [["forget"], "one of"],
    [["forget", "x", "--before", "2026-01-01"], "one of"],
    [["forget", "--before", "2026-02-31"], "no date"],
    [["-C", "/does/not/exist", "sessions"], "-C"],
    [["--store", "mysql://nowhere", "sessions"], "Not a store"],
  ])("exits 64 for %j, says why and where to look, and changes nothing", async (args, said) => {
    const place = makePlace();
    const ran = await place.refloat(args);
    expect(ran.code).toBe(64);
    expect(ran.stdout).toBe("");
    expect(ran.stderr).toContain(said);
    expect(readdirSync(place.home)).toEqual([]);
  });

  it("shows the family's commands for half a command, and exits 64", async () => {
    const ran = await makePlace().refloat(["store"]);
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain("backup");
  });

  it("come as one JSON object on stdout with --json, wherever it stands, and nothing on stderr", async () => {
    const place = makePlace();
    for (const args of [
      ["--json", "sesions"],
      ["sesions", "--json"],
      ["store", "--json"],
      ["--json", "--sesions"],
    ]) {
      const ran = await place.refloat(args);
      expect(ran).toMatchObject({ code: 64, stderr: "" });
      const error = JSON.parse(ran.stdout) as Record<string, unknown>;
      expect(error).toMatchObject({ schema: "refloat.error/1", code: "E_USAGE" });
      expect(error.message).toEqual(expect.any(String));
      expect(error.hint).toEqual(expect.any(String));
    }
  });
});

describe("the store's address", () => {
  it("is not answered by a fresh store when nothing is there: reading commands make none (T1)", async () => {
    const place = makePlace();
    expect(await place.json(["sessions"])).toEqual({
      code: 0,
      json: { schema: "refloat.sessions/1", workspace: place.workspace, sessions: [] },
    });
    expect((await place.json(["show"])).json.code).toBe("E_NO_SESSION");
    expect((await place.json(["claim", "status"])).json.claims).toEqual([]);
    for (const args of [
      ["info"],
      ["check"],
      ["gc"],
      ["export"],
      ["backup", "x.db"],
      ["check", "--salvage"],
    ]) {
      const { code, json } = await place.json(["store", ...args]);
      expect([code, json.code]).toEqual([1, "E_NO_STORE"]);
    }
    expect(readdirSync(place.home)).toEqual([]);
    expect(readdirSync(place.workspace)).toEqual([]);
  });

  it("may be neither a directory nor a foreign file: each is refused by name and left alone", async () => {
    const place = makePlace();
    mkdirSync(join(place.home, "folder"));
    const folder = await place.json(["store", "info", "--store", join(place.home, "folder")]);
    expect([folder.code, folder.json.code]).toEqual([1, "E_STORE_NOT_A_FILE"]);
    const foreign = await place.json(["store", "info", "--store", BIN]);
    expect([foreign.code, foreign.json.code]).toEqual([5, "E_STORE_NOT_OURS"]);
  });

  it("comes from --store before REFLOAT_STORE before REFLOAT_HOME, and relative paths mean -C's directory", async () => {
    const place = makePlace();
    const other = makePlace();
    await cutOffSession(place, { id: "in-home" });
    await cutOffSession(other, { id: "elsewhere" });
    const ids = async (args: string[], env: Record<string, string> = {}): Promise<string[]> =>
      (await place.json(["sessions", "--all", ...args], { env })).json.sessions.map(
        (s: { id: string }) => s.id,
      );
    expect(await ids([])).toEqual(["in-home"]);
    expect(await ids([], { REFLOAT_STORE: other.store })).toEqual(["elsewhere"]);
    expect(await ids(["--store", place.store], { REFLOAT_STORE: other.store })).toEqual(["in-home"]);
    expect(await ids(["-C", other.home, "--store", "refloat.db"])).toEqual(["elsewhere"]);
  });
});

describe("the workspace", () => {
  it("is the directory itself however it was reached: a symlink to it lists the same sessions", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "linked-one" });
    const link = join(temporaryFolder(), "link");
    symlinkSync(place.workspace, link);
    for (const args of [["sessions"], ["-C", link, "sessions"]]) {
      const { json } = await place.json(args, { cwd: args[0] === "-C" ? place.home : link });
      expect(json.workspace).toBe(place.workspace);
      expect(json.sessions).toHaveLength(1);
    }
  });
});

describe("colours", () => {
  it("are only for terminals, unless asked for; what was typed beats NO_COLOR, which beats FORCE_COLOR", async () => {
    const place = makePlace();
    await cutOffSession(place, { id: "colourful" });
    const colored = async (args: string[], env: Record<string, string> = {}): Promise<boolean> =>
      (await place.refloat(["sessions", ...args], { env })).stdout.includes(ESC);
    expect(await colored([])).toBe(false);
    expect(await colored([], { FORCE_COLOR: "1" })).toBe(true);
    expect(await colored([], { FORCE_COLOR: "1", NO_COLOR: "1" })).toBe(false);
    expect(await colored(["--color", "always"], { NO_COLOR: "1" })).toBe(true);
    expect(await colored(["--color", "never"], { FORCE_COLOR: "1" })).toBe(false);
    expect((await place.refloat(["sessions", "--json", "--color", "always"])).stdout).not.toContain(ESC);
  });
});

describe("the streams", () => {
  it("end quietly with 0 when the reader of stdout has had enough", async () => {
    const place = makePlace();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "long", agent: "a", workspace: place.workspace });
      const turn = await session.turn("x");
      for (let i = 0; i < 20; i++) await turn.append({ role: "assistant", parts: "line\n".repeat(20_000) });
      await turn.end("completed");
      await session.finish();
    });
    const child = spawn("/bin/sh", ["-c", `"${process.execPath}" "${BIN}" log long; echo "code $?" >&2`], {
      cwd: place.workspace,
      env: { PATH: process.env.PATH, REFLOAT_HOME: place.home },
      stdio: ["ignore", "pipe", "pipe"],
    });
    let said = "";
    child.stderr.on("data", (piece) => {
      said += piece;
    });
    child.stdout.once("data", () => child.stdout.destroy());
    await once(child, "close");
    expect(said).toBe("code 0\n");
  });
});

describe("other platforms", () => {
  it("refuses native Windows with the way out, in text and in JSON", async () => {
    const onWindows = {
      node: ["--import", 'data:text/javascript,Object.defineProperty(process,"platform",{value:"win32"})'],
    };
    const ran = await makePlace().refloat(["sessions"], onWindows);
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("use WSL");
    expect((await makePlace().json(["sessions"], onWindows)).json).toMatchObject({
      schema: "refloat.error/1",
      code: "E_UNSUPPORTED",
    });
  });
});

it("is built and executable, so that the package's bin works", () => {
  expect(existsSync(BIN)).toBe(true);
  expect(readFileSync(BIN, "utf8").startsWith("#!/usr/bin/env node\n")).toBe(true);
});

/** A preload that makes loading any file whose address matches an error. */
function refusing(pattern: RegExp): string {
  const hooks = `export async function load(url, context, next) { if (${pattern}.test(url)) throw new Error("loaded " + url); return next(url, context); }`;
  const register = `import { register } from "node:module"; register("data:text/javascript,${encodeURIComponent(hooks)}");`;
  return `data:text/javascript,${encodeURIComponent(register)}`;
}

describe("a result that cannot be written", () => {
  it("to a full disk is one clean sentence on stderr and exit 75, not a stack, whatever the command", () => {
    const place = makePlace();
    for (const words of ["--version", "--help", "sessions --json", "state init"]) {
      const script = `"$0" "$1" ${words} > /dev/full`;
      const { status, stderr } = spawnSync("sh", ["-c", script, process.execPath, BIN], {
        cwd: place.workspace,
        env: { PATH: process.env.PATH, HOME: place.home, REFLOAT_HOME: place.home },
        encoding: "utf8",
      });
      expect([words, status]).toEqual([words, 75]);
      expect(stderr).toMatch(/^refloat: .*ENOSPC/);
      expect(stderr).not.toContain("    at ");
    }
    // What the command did stays done (T1).
    expect(existsSync(join(place.workspace, "00-session-state.json"))).toBe(true);
  });
});
