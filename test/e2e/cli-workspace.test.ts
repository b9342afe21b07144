/** `capture`, `captures`, `diff`, `why` and `trust`, as a user runs them, in a real repository. */
import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { displayWidth } from "../../src/text/width.ts";
import { makePlace, type Place } from "../support/cli.ts";
import { fingerprint, type TestRepository, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

interface Scene {
  readonly place: Place;
  readonly repo: TestRepository;
}

function scene(): Scene {
  const place = makePlace();
  return { place, repo: testRepository(place.workspace) };
}

describe("capture and captures", () => {
  it("holds the tree, lists it with its true time and note, and writes nothing into the repository (W1)", async () => {
    const { place, repo } = scene();
    repo.write("f", "1\n");
    repo.commit();
    repo.write("f", "2\n");
    repo.write("new", "n\n");
    const before = fingerprint(repo.root);
    const { code, json } = await place.json(["capture", "-m", "first"]);
    expect(code).toBe(0);
    expect(json).toMatchObject({
      schema: "refloat.capture/1",
      how: "status",
      held: 2,
      partial: false,
      gaps: [],
    });
    const text = await place.refloat(["captures"]);
    expect(text.stdout).toContain(json.capture.slice(0, 8));
    expect(text.stdout).toContain("first");
    for (const args of [
      ["captures"],
      ["diff"],
      ["diff", "HEAD", "now"],
      ["why", "f"],
      ["capture", "--dry-run"],
    ])
      expect((await place.refloat(args)).code).toBe(0);
    expect(fingerprint(repo.root)).toBe(before);
    const list = await place.json(["captures"]);
    expect(list.json.captures).toEqual([
      {
        id: json.capture,
        at: json.at,
        session: json.session,
        reason: "manual",
        note: "first",
        how: "status",
        partial: false,
        head: { id: repo.git("rev-parse", "HEAD"), branch: "main", detached: false, unborn: false },
        held: 2,
        gaps: 0,
        same_clone: true,
        root_commit: repo.git("rev-parse", "HEAD"),
      },
    ]);
  });

  it("the list says that there are older ones than it shows, with a command that shows them (T1, T6)", async () => {
    const place = makePlace();
    testRepository(place.workspace).commit();
    for (const note of ["first", "second", "third"]) await place.refloat(["capture", "-m", note]);
    const { stdout } = await place.refloat(["captures", "--last", "2"]);
    expect(stdout).not.toContain("first");
    expect(stdout).toMatch(/\nThere are older ones: refloat captures --last 10\n$/);
    expect((await place.json(["captures", "--last", "2"])).json).toMatchObject({ more: true });
    expect((await place.refloat(["captures", "--last", "10"])).stdout).not.toContain("older");
  });

  it("goes to the session of the mark, else to the newest live one, else to one named manual", async () => {
    const { place, repo } = scene();
    repo.commit();
    const manual = await place.json(["capture"]);
    expect(manual.json.session).toMatch(/^manual-/);
    expect((await place.json(["sessions"])).json.sessions).toMatchObject([{ name: "manual", state: "idle" }]);
    await place.withStore(async (store) => {
      await store.begin({ id: "live-one", agent: "t", workspace: repo.root });
      expect((await place.json(["capture"])).json.session).toBe("live-one");
      const env = { REFLOAT_SESSION: `${manual.json.session}.1.abc` };
      expect((await place.json(["capture"], { env })).json.session).toBe(manual.json.session);
      const stray = await place.json(["capture"], { env: { REFLOAT_SESSION: "nobody.1.abc" } });
      expect(stray).toMatchObject({ code: 1, json: { code: "E_NO_SESSION" } });
    });
  });

  it("fails with an exit code and lists nothing new when it cannot be exact (W4)", async () => {
    const { place, repo } = scene();
    repo.write("f", "1\n");
    repo.commit();
    symlinkSync("nowhere", join(repo.root, "link"));
    expect((await place.json(["capture", "f", "link"])).json).toMatchObject({ held: 2, how: "paths" });
    testRepository(join(repo.root, "inner"));
    repo.write(".git/index", "broken");
    expect(await place.json(["capture"])).toMatchObject({ code: 1, json: { code: "E_GIT_FAILED" } });
    expect(await place.json(["capture", "../outside"])).toMatchObject({
      code: 64,
      json: { code: "E_NOT_IN_WORKSPACE" },
    });
    expect(await place.json(["capture", ".git/config"])).toMatchObject({ code: 64 });
    expect((await place.json(["captures"])).json.captures).toHaveLength(1);
  });

  it("with --dry-run holds nothing and makes no store; a store inside the workspace is refused", async () => {
    const { place, repo } = scene();
    repo.write("f", "1\n");
    const dry = await place.json(["capture", "--dry-run"]);
    expect(dry.json).toMatchObject({ capture: null, session: null, held: 1 });
    expect(existsSync(place.store)).toBe(false);
    const inside = await place.json(["capture", "--store", join(repo.root, "inside.db")]);
    expect(inside).toMatchObject({ code: 1, json: { code: "E_STORE_IN_WORKSPACE" } });
    expect(existsSync(join(repo.root, "inside.db"))).toBe(false);
  });

  it("says what is partial and why, escaped for the terminal", async () => {
    const { place, repo } = scene();
    repo.commit();
    testRepository(join(repo.root, "evil\x1b[2J"));
    const { stdout } = await place.refloat(["capture"]);
    expect(stdout).toContain("Partial");
    expect(stdout).toContain("another repository");
    expect(stdout).not.toContain("\x1b[2J");
  });

  it("captures a plain folder, and a subdirectory means its repository", async () => {
    const place = makePlace();
    writeFileSync(join(place.workspace, "f"), "1");
    expect((await place.json(["capture"])).json).toMatchObject({ how: "folder", head: null, held: 1 });
    const { repo, place: other } = scene();
    repo.write("sub/f", "1\n");
    mkdirSync(join(repo.root, "sub"), { recursive: true });
    const cwd = join(repo.root, "sub");
    const { json } = await other.json(["capture", "f"], { cwd });
    expect(json).toMatchObject({ workspace: repo.root, held: 1 });
    expect((await other.json(["captures"], { cwd })).json.captures).toHaveLength(1);
  });
});

describe("diff", () => {
  it("is readable at 80 columns and side by side where it is wide, with nothing a terminal would act on", async () => {
    const { place, repo } = scene();
    repo.write("code.ts", `${Array.from({ length: 20 }, (_, i) => `line ${i}`).join("\n")}\n`);
    repo.commit();
    const changed = Array.from({ length: 20 }, (_, i) =>
      i === 9 ? `evil \x1b[31m${"wide ".repeat(30)}` : `line ${i}`,
    );
    repo.write("code.ts", `${changed.join("\n")}\n`);
    const narrow = await place.refloat(["diff", "HEAD", "now"]);
    expect(narrow.code).toBe(0);
    expect(narrow.stdout).toContain("modified  code.ts");
    expect(narrow.stdout).toContain("   10 - line 9");
    expect(narrow.stdout).toContain("   10 + evil");
    expect(narrow.stdout).not.toContain("line 1\n");
    expect(narrow.stdout).not.toContain("\x1b");
    for (const line of narrow.stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(80);
    const wide = await place.refloat(["diff", "HEAD", "now"], { env: { COLUMNS: "160" } });
    expect(wide.stdout).toMatch(/ 10 line 9 +\| +10 evil/);
    for (const line of wide.stdout.split("\n")) expect(displayWidth(line)).toBeLessThanOrEqual(160);
  });

  it("shows a symlink that became a directory as one change, and a mode and a binary by their states", async () => {
    const { place, repo } = scene();
    repo.write("real/m.py", "1\n");
    symlinkSync("real", join(repo.root, "pkg"));
    repo.write("run.sh", "x\n");
    repo.write("pic", new Uint8Array([0, 1, 2]));
    repo.commit();
    rmSync(join(repo.root, "pkg"));
    repo.write("pkg/m.py", "2\n");
    chmodSync(join(repo.root, "run.sh"), 0o755);
    repo.write("pic", new Uint8Array([0, 1, 2, 3]));
    const { json } = await place.json(["diff", "HEAD", "now"]);
    const brief = json.changes.map(({ path, kind }: { path: string; kind: string }) => [path, kind]);
    expect(brief).toEqual([
      ["pic", "modified"],
      ["pkg", "type"],
      ["run.sh", "mode"],
    ]);
    expect(json.changes[1]).toMatchObject({
      from: { kind: "symlink", target: "real" },
      to: { kind: "directory" },
      members: [{ path: "pkg/m.py", kind: "added" }],
    });
    const { stdout } = await place.refloat(["diff", "HEAD", "now"]);
    expect(stdout).toContain("symlink to real -> directory");
    expect(stdout).toContain("file 0644, 2 bytes -> file 0755, 2 bytes");
    expect(stdout).toContain("3 bytes -> file 0644, 4 bytes");
  });

  it("compares captures by id, tells committed since apart, and says when an id is unknown or means two", async () => {
    const { place, repo } = scene();
    repo.write("f", "1\n");
    repo.write("g", "1\n");
    repo.commit();
    repo.write("f", "2\n");
    const first = (await place.json(["capture"])).json.capture as string;
    repo.write("g", "2\n");
    repo.git("commit", "-qm", "f only", "f");
    const second = (await place.json(["capture"])).json.capture as string;
    const { json } = await place.json(["diff", first.slice(0, 8), second]);
    expect(json.changes).toMatchObject([{ path: "g", kind: "modified" }]);
    expect(json.committed_since).toEqual([{ path: "f" }]);
    expect(json).toMatchObject({ from: { kind: "capture", capture: first }, to: { capture: second } });
    expect(await place.json(["diff", "zzzzzz"])).toMatchObject({ code: 1, json: { code: "E_NO_CAPTURE" } });
    expect((await place.refloat(["diff", second, "now"])).stdout).toContain("No difference");
    expect((await place.json(["diff", "HEAD", "now", "--path", "f"])).json.changes).toEqual([]);
  });
});

describe("why and trust", () => {
  it("names the session, the call and the operation that changed a path and a line of it", async () => {
    const { place, repo } = scene();
    repo.write("app.ts", "one\ntwo\n");
    repo.commit();
    await place.withStore(async (store) => {
      const session = await store.begin({ id: "worker", agent: "codex", workspace: repo.root });
      await session.capture("begin");
      const operation = await session.operation("rename it");
      const turn = await session.turn("go");
      const call = await turn.call({ id: "call-7", tool: "edit_file", input: { path: "app.ts" } });
      repo.write("app.ts", "one\n2\n");
      await call.result("ok");
      expect(await session.capture("after")).toMatchObject({ partial: false });
      await operation.end();
      await turn.end("completed");
      await session.finish();
    });
    const { json } = await place.json(["why", "app.ts:2"]);
    expect(json).toMatchObject({ path: "app.ts", line: 2, text: "2" });
    expect(json.changes).toMatchObject([
      {
        session: "worker",
        agent: "codex",
        calls: [{ id: "call-7", tool: "edit_file" }],
        operations: ["rename it"],
      },
    ]);
    expect((await place.json(["why", "app.ts:1"])).json.changes).toEqual([]);
    const { stdout } = await place.refloat(["why", "app.ts"]);
    expect(stdout).toContain("the call edit_file names it");
    expect(stdout).toContain("in the operation rename it");
    expect(await place.json(["why", "app.ts:9"])).toMatchObject({ code: 64 });
    // Owners in a diff: what the session changed is its own, what came after its end is not.
    repo.write("later", "x\n");
    const first = (await place.json(["captures"])).json.captures.at(-1).id;
    const { changes } = (await place.json(["diff", first, "now"])).json;
    expect(changes.map(({ path, owner }: { path: string; owner: string }) => [path, owner])).toEqual([
      ["app.ts", "session"],
      ["later", "after"],
    ]);
  });

  it("trusts exactly the filters it showed, asks first, and never under a session's mark (T2)", async () => {
    const { place, repo } = scene();
    const marker = join(temporaryFolder(), "ran");
    repo.write(".gitattributes", "*.x filter=mine\n");
    repo.write("f.x", "1\n");
    repo.commit();
    repo.git("config", "filter.mine.clean", `touch ${marker}; cat`);
    // Of the same size: only its bytes, through the filter, tell git that it changed.
    repo.write("f.x", "2\n");
    await place.json(["capture"]);
    expect(existsSync(marker)).toBe(false);
    const asked = await place.json(["trust"]);
    expect(asked).toMatchObject({ code: 1, json: { code: "E_NEEDS_YES" } });
    expect(asked.json.plan.filters).toMatchObject([
      { key: "filter.mine.clean", value: `touch ${marker}; cat` },
    ]);
    const marked = await place.json(["trust", "--yes"], { env: { REFLOAT_SESSION: "s.1.x" } });
    expect(marked).toMatchObject({ code: 1, json: { code: "E_UNDER_MARK" } });
    expect((await place.json(["trust", "--yes"])).json).toMatchObject({ done: true });
    expect((await place.json(["trust", "--dry-run"])).json).toMatchObject({ done: true });
    await place.json(["capture"]);
    expect(existsSync(marker)).toBe(true);
    expect((await place.json(["trust", "--revoke", "--yes"])).json).toMatchObject({ done: true });
    rmSync(marker);
    await place.json(["capture"]);
    expect(existsSync(marker)).toBe(false);
  });
});
