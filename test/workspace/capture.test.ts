/** Captures with real git: what is held is exact, what is not is named, and nothing is written into the repository. */
import { execFileSync, spawn } from "node:child_process";
import {
  chmodSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { RefloatError } from "../../src/model/errors.ts";
import { pathFromBytes } from "../../src/model/path-name.ts";
import { hashOf } from "../../src/store/contract/content-hash.ts";
import { takeCapture } from "../../src/workspace/captures/take-capture.ts";
import { openWorkspace } from "../../src/workspace/opening/workspace.ts";
import { recordTrust } from "../../src/workspace/trust/trust.ts";
import { asBoundUser, giveToBoundUser } from "../support/bound-user.ts";
import { capturing, entryAt, gapsIn, p, pathsIn } from "../support/capturing.ts";
import { clashingBranches, DOOR_ENV, fingerprint, testRepository } from "../support/git-repository.ts";
import { temporaryFolder } from "../support/temporary-folder.ts";

const codeOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => "no error",
    (thrown: { code?: string }) => thrown.code ?? thrown,
  );

describe("a capture by status", () => {
  it("holds bytes, modes, link targets and staged ids of every path that differs, and nothing else", async () => {
    const { repo, capture, held } = await capturing();
    for (const name of ["same", "edited", "staged", "gone", "runs"]) repo.write(name, `${name}\n`);
    repo.commit();
    repo.write("edited", "edited twice\n");
    repo.write("staged", "in the index\n");
    repo.git("add", "staged");
    repo.write("staged", "and then some\n");
    rmSync(join(repo.root, "gone"));
    chmodSync(join(repo.root, "runs"), 0o755);
    repo.write("new/file", "new\n", 0o600);
    symlinkSync("/etc/passwd", join(repo.root, "link"));
    const taken = await capture({ note: "before lunch" });
    expect(pathsIn(taken)).toEqual(["edited", "gone", "link", "new/file", "runs", "staged"]);
    expect(taken.capture).toMatchObject({
      reason: "manual",
      note: "before lunch",
      how: "status",
      partial: false,
      gaps: [],
      head: { id: repo.git("rev-parse", "HEAD"), branch: "main", detached: false, unborn: false },
      in_progress: [],
    });
    expect(entryAt(taken, "gone")).toMatchObject({ state: null, head: { mode: 0o100644 } });
    expect(entryAt(taken, "runs")?.state).toMatchObject({ kind: "file", mode: 0o755 });
    expect(entryAt(taken, "new/file")).toMatchObject({
      state: { mode: 0o600, size: 4 },
      flags: ["untracked"],
    });
    const link = entryAt(taken, "link")?.state;
    expect(link).toMatchObject({ kind: "symlink", target: "/etc/passwd" });
    expect(String(await held(link?.hash))).toBe("/etc/passwd");
    expect(String(await held(entryAt(taken, "staged")?.state?.hash))).toBe("and then some\n");
    expect(entryAt(taken, "staged")?.staged).toEqual([
      { mode: 0o100644, id: repo.git("rev-parse", ":staged"), stage: 0 },
    ]);
  });

  it("W1: leaves the whole .git folder and the tree as they were, also with an index.lock and no identity", async () => {
    const { repo, capture } = await capturing();
    repo.write("f", "one\n");
    repo.commit();
    repo.write("f", "two\n");
    repo.write(".git/index.lock", "");
    const before = fingerprint(repo.root);
    expect(pathsIn(await capture())).toEqual(["f"]);
    await capture({ paths: [p("f")] });
    expect(fingerprint(repo.root)).toBe(before);
  });

  it("holds names with newlines, quotes, bytes that are no text, and 200 characters", async () => {
    const { repo, capture, held } = await capturing();
    repo.commit();
    const names = [
      Buffer.from('a\n"b"\t\\c'),
      Buffer.from([0x66, 0xff, 0xfe, 0x20]),
      Buffer.from("é".repeat(100)),
      Buffer.from(" leading and trailing "),
      Buffer.from("-n"),
      Buffer.from(":(glob)*"),
    ];
    for (const name of names) writeFileSync(Buffer.concat([Buffer.from(`${repo.root}/`), name]), name);
    const taken = await capture();
    expect(pathsIn(taken)).toEqual(names.map((name) => pathFromBytes(name)).sort());
    for (const name of names) {
      const entry = entryAt(taken, pathFromBytes(name));
      expect((await held(entry?.state?.hash)).equals(name)).toBe(true);
    }
  });

  it("sees a symlink that became a directory, a directory that became a symlink, and a file that became one", async () => {
    const { repo, capture } = await capturing();
    repo.write(".gitignore", "__pycache__/\n");
    repo.write("real/m.py", "1\n");
    symlinkSync("real", join(repo.root, "pkg"));
    repo.write("folder/a", "a\n");
    repo.write("file", "f\n");
    repo.commit();
    rmSync(join(repo.root, "pkg"));
    repo.write("pkg/m.py", "2\n");
    repo.write("pkg/__pycache__/m.pyc", "ignored");
    const outside = temporaryFolder();
    writeFileSync(join(outside, "a"), "not ours\n");
    rmSync(join(repo.root, "folder"), { recursive: true });
    symlinkSync(outside, join(repo.root, "folder"));
    rmSync(join(repo.root, "file"));
    symlinkSync(join(outside, "a"), join(repo.root, "file"));
    const taken = await capture();
    expect(pathsIn(taken)).toEqual(["file", "folder", "folder/a", "pkg", "pkg/m.py"]);
    expect(entryAt(taken, "pkg")?.state).toMatchObject({ kind: "directory" });
    expect(entryAt(taken, "folder")?.state).toMatchObject({ kind: "symlink", target: outside });
    // Through the link there is a file of that name: it is not ours, and was not read.
    expect(entryAt(taken, "folder/a")?.state).toBeNull();
    expect(entryAt(taken, "file")?.state).toMatchObject({ kind: "symlink" });
    expect(taken.capture.partial).toBe(false);
  });

  it("W4: names a nested repository, a fifo, a socket and a file over the limit as gaps, says partial, and holds the rest", async () => {
    const { repo, capture } = await capturing();
    repo.commit();
    repo.write("fine", "fine\n");
    repo.write("large", "x".repeat(2000));
    testRepository(join(repo.root, "inner"));
    execFileSync("mkfifo", [join(repo.root, "pipe")]);
    const server = createServer().listen(join(repo.root, "sock"));
    onTestFinished(() => {
      server.close();
    });
    await new Promise((resolve) => server.once("listening", resolve));
    const taken = await capture({ limits: { fileBytes: 1000 } });
    expect(gapsIn(taken)).toEqual([
      ["inner", "nested-repository"],
      ["large", "too-large"],
    ]);
    // Git does not list a fifo or a socket as untracked: asked for by name each is a gap, and there is no capture.
    for (const name of ["pipe", "sock", "large"])
      expect(await codeOf(capture({ paths: [p(name)], limits: { fileBytes: 1000 } }))).toBe("E_CAPTURE_GAP");
    expect(taken.capture.partial).toBe(true);
    expect(entryAt(taken, "fine")?.state?.hash).toBe(hashOf(Buffer.from("fine\n")));
    expect(entryAt(taken, "large")?.state).toMatchObject({ size: 2000, hash: null });
  });

  it("names a tracked file that a fifo took the place of", async () => {
    const { repo, capture } = await capturing();
    repo.write("f", "1\n");
    repo.commit();
    rmSync(join(repo.root, "f"));
    execFileSync("mkfifo", [join(repo.root, "f")]);
    expect(gapsIn(await capture())).toEqual([["f", "special"]]);
  });

  it("W4: never holds a file that changes while it is read: it is read again, then named as moving", async () => {
    const { repo, capture } = await capturing();
    repo.commit();
    repo.write("still", "still\n");
    repo.write("busy", Buffer.alloc(8 * 1024 * 1024));
    const writer = spawn("sh", ["-c", `while :; do echo x >> ${repo.root}/busy; done`]);
    onTestFinished(() => {
      writer.kill("SIGKILL");
    });
    const from = statSync(join(repo.root, "busy")).size;
    while (statSync(join(repo.root, "busy")).size === from) await new Promise((wake) => setTimeout(wake, 1));
    const taken = await capture();
    expect(gapsIn(taken)).toEqual([["busy", "moving"]]);
    expect(pathsIn(taken)).toEqual(["still"]);
    expect(await codeOf(capture({ paths: [p("busy")] }))).toBe("E_CAPTURE_GAP");
  });

  it("names an unreadable file, as a user who is bound by modes", async () => {
    const repo = testRepository();
    repo.write("open", "1\n");
    repo.write("shut", "1\n");
    repo.commit();
    repo.write("open", "2\n");
    repo.write("shut", "22\n", 0o600);
    chmodSync(join(repo.root, "shut"), 0o000);
    const home = temporaryFolder();
    giveToBoundUser(repo.root, home);
    const text = `
      import { openStore } from "./app/store/open-store.js";
      import { openWorkspace } from "./workspace/opening/workspace.js";
      import { takeCapture } from "./workspace/captures/take-capture.js";
      const store = await openStore("${home}/s.db", { thread: false });
      const { id } = await store.begin({ agent: "t", workspace: "${repo.root}" });
      const env = { PATH: process.env.PATH, HOME: "${home}" };
      const workspace = openWorkspace("${repo.root}", { env });
      const { capture } = await takeCapture(store.raw, workspace, { env, session: id, reason: "manual" });
      console.log(JSON.stringify([capture.partial, capture.gaps, capture.entries.map((e) => e.path)]));
      await store.close();`;
    const dist = new URL("../../dist/", import.meta.url).href;
    const output = execFileSync(
      process.execPath,
      ["--input-type=module", "-e", text.replaceAll('"./', `"${dist}`)],
      {
        ...asBoundUser(),
        cwd: repo.root,
        encoding: "utf8",
      },
    );
    expect(JSON.parse(output)).toEqual([
      true,
      [{ path: "shut", reason: "unreadable", detail: "no permission to read it" }],
      ["open"],
    ]);
  });

  it("holds skip-worktree and assume-unchanged files that are there, flagged, and says how many are hidden", async () => {
    const { repo, capture } = await capturing();
    for (const name of ["skipped", "assumed", "plain"]) repo.write(name, "1\n");
    repo.commit();
    repo.git("update-index", "--skip-worktree", "skipped");
    repo.git("update-index", "--assume-unchanged", "assumed");
    repo.write("skipped", "mine\n");
    repo.write("assumed", "mine too\n");
    const taken = await capture();
    expect(entryAt(taken, "skipped")).toMatchObject({ flags: ["skip-worktree"], head: { mode: 0o100644 } });
    expect(entryAt(taken, "assumed")).toMatchObject({ flags: ["assume-unchanged"], state: { size: 9 } });
    expect(taken.capture).toMatchObject({ hidden: 2, partial: false });
  });

  it("notes hard links, 0600 and eol conversion as they are: raw bytes, raw modes", async () => {
    const { repo, capture, held } = await capturing();
    repo.git("config", "core.autocrlf", "true");
    repo.write("text", "a\r\nb\r\n");
    repo.write("twice", "1\n");
    repo.commit();
    repo.write("text", "a\r\nb\r\nc\n");
    repo.write("twice", "2\n");
    linkSync(join(repo.root, "twice"), join(temporaryFolder(), "other-name"));
    const taken = await capture();
    expect(String(await held(entryAt(taken, "text")?.state?.hash))).toBe("a\r\nb\r\nc\n");
    expect(entryAt(taken, "twice")?.flags).toEqual(["hard-links"]);
  });

  it("reads paths with an untrusted filter raw and names the filter; with trust it does not", async () => {
    const { repo, store, capture, workspace } = await capturing();
    repo.write(".gitattributes", "*.x filter=up\n");
    repo.commit();
    repo.git("config", "filter.up.clean", "tr a-z A-Z");
    repo.write("f.x", "text\n");
    expect(entryAt(await capture(), "f.x")?.flags).toEqual(["untracked", "raw-filter:up"]);
    const open = workspace();
    if (open.kind !== "git") throw new Error("no repository");
    const { filterDigest } = await open.repository();
    await recordTrust(store.raw, open.location, filterDigest ?? "", { trusted: true });
    expect(entryAt(await capture(), "f.x")?.flags).toEqual(["untracked"]);
    repo.git("config", "filter.up.clean", "tr a-z B-Z");
    expect(entryAt(await capture(), "f.x")?.flags).toContain("raw-filter:up");
  });

  it("holds precious ignored files when they are named so, and no other ignored ones (W6)", async () => {
    const { repo, capture } = await capturing();
    repo.write(".gitignore", "*.env\nbuild/\n");
    repo.commit();
    repo.write("deep/local.env", "SECRET=1\n");
    repo.write("build/out", "x");
    expect(pathsIn(await capture())).toEqual([]);
    const taken = await capture({ precious: ["*.env"] });
    expect(pathsIn(taken)).toEqual(["deep/local.env"]);
    expect(entryAt(taken, "deep/local.env")?.flags).toEqual(["ignored"]);
  });

  it("stops reading when its time is up, names the rest as over budget and says partial", async () => {
    const { repo, capture } = await capturing();
    repo.commit();
    for (let i = 0; i < 5; i++) repo.write(`f${i}`, "x");
    const taken = await capture({ limits: { budgetMs: -1 } });
    expect(gapsIn(taken).map(([, reason]) => reason)).toEqual(new Array(5).fill("over-budget"));
    expect(taken.capture).toMatchObject({ partial: true, limits: [{ limit: "budget_ms", left_out: 5 }] });
    const few = await capture({ limits: { paths: 2 } });
    expect(few.capture.limits).toEqual([{ limit: "paths", value: 2, left_out: 3 }]);
  });
});

describe("where HEAD is", () => {
  it("captures an unborn branch, a detached HEAD, a linked worktree and a subdirectory", async () => {
    const { repo, store, capture, session } = await capturing();
    repo.write("first", "1\n");
    const unborn = await capture();
    expect(unborn.capture.head).toEqual({ id: null, branch: "main", detached: false, unborn: true });
    expect(pathsIn(unborn)).toEqual(["first"]);
    const id = repo.commit();
    repo.git("checkout", "-q", "--detach");
    expect((await capture()).capture.head).toEqual({ id, branch: null, detached: true, unborn: false });
    const linked = join(temporaryFolder(), "linked");
    repo.git("worktree", "add", "-q", "-b", "side", linked);
    writeFileSync(join(linked, "only-here"), "x");
    mkdirSync(join(linked, "below"));
    const workspace = openWorkspace(join(linked, "below"), { env: DOOR_ENV });
    const taken = await takeCapture(store.raw, workspace, { env: DOOR_ENV, session, reason: "manual" });
    expect(taken.capture.workspace.path).toBe(linked);
    expect(pathsIn(taken)).toEqual(["only-here"]);
  });

  it("names a merge in progress and holds all three stages of an unmerged path", async () => {
    const { repo, capture } = await capturing();
    clashingBranches(repo);
    expect(() => repo.git("merge", "topic")).toThrow();
    const taken = await capture();
    expect(taken.capture.in_progress).toEqual(["merge"]);
    expect(entryAt(taken, "f")?.staged?.map(({ stage }) => stage)).toEqual([1, 2, 3]);
    expect(entryAt(taken, "f")?.flags).toEqual(["unmerged"]);
  });

  it("leaves the hidden rest of a sparse checkout out without calling the capture partial", async () => {
    const { repo, capture } = await capturing();
    repo.write("in/a", "1\n");
    repo.write("out/b", "1\n");
    repo.commit();
    repo.git("sparse-checkout", "set", "in");
    repo.write("in/a", "2\n");
    const taken = await capture();
    expect(pathsIn(taken)).toEqual(["in/a"]);
    expect(taken.capture).toMatchObject({ hidden: 1, partial: false });
  });

  it("holds which commit a submodule is at and names what is changed inside it", async () => {
    const { repo, capture } = await capturing();
    const inner = testRepository();
    inner.write("x", "1\n");
    const first = inner.commit();
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    repo.commit();
    expect((await capture()).capture).toMatchObject({ entries: [], partial: false });
    writeFileSync(join(repo.root, "sub/x"), "2\n");
    expect(gapsIn(await capture())).toEqual([["sub", "submodule"]]);
    const sub = testRepositoryAt(join(repo.root, "sub"));
    const second = sub("commit", "-qam", "more");
    expect(second).toBe("");
    const taken = await capture();
    expect(entryAt(taken, "sub")?.state).toMatchObject({
      kind: "submodule",
      target: sub("rev-parse", "HEAD"),
    });
    expect(entryAt(taken, "sub")?.head?.id).toBe(first);
  });

  it("a hostile submodule runs nothing either", async () => {
    const { repo, capture } = await capturing();
    const inner = testRepository();
    inner.write("x", "1\n");
    inner.commit();
    repo.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", inner.root, "sub");
    repo.commit();
    const marker = join(temporaryFolder(), "ran");
    const sub = testRepositoryAt(join(repo.root, "sub"));
    sub("config", "core.fsmonitor", `touch ${marker}`);
    sub("config", "filter.evil.clean", `touch ${marker}; cat`);
    writeFileSync(join(repo.root, ".git/modules/sub/info/attributes"), "* filter=evil\n");
    writeFileSync(join(repo.root, "sub/x"), "2\n");
    expect(gapsIn(await capture())).toEqual([["sub", "submodule"]]);
    expect(() => statSync(marker)).toThrow();
  });

  it("holds both sides of what moved with HEAD, so that the user's gc takes nothing from us (peers 14)", async () => {
    const { repo, capture, held } = await capturing();
    repo.write("f", "old\n");
    repo.write("other", "same\n");
    const from = repo.commit();
    await capture();
    repo.write("f", "new\n");
    repo.git("commit", "-q", "--amend", "-am", "amended");
    const taken = await capture();
    repo.git("reflog", "expire", "--expire=now", "--all");
    repo.git("gc", "-q", "--prune=now");
    expect(() => repo.git("cat-file", "-e", from)).toThrow();
    expect(taken.capture.moved).toMatchObject({ from, to: repo.git("rev-parse", "HEAD"), is_known: true });
    const moved = taken.capture.moved?.paths ?? [];
    expect(moved.map(({ path }) => path)).toEqual(["f"]);
    expect(String(await held(moved[0]?.from?.hash))).toBe("old\n");
    expect(String(await held(moved[0]?.to?.hash))).toBe("new\n");
  });
});

describe("a capture of known paths", () => {
  it("runs no git at all: it works where git would fail, and holds just those paths", async () => {
    const { repo, store, session } = await capturing();
    repo.write("a", "1\n");
    repo.write("b", "1\n");
    repo.commit();
    repo.write("a", "2\n");
    repo.write("b", "2\n");
    const env = { PATH: "/nonexistent" };
    const workspace = openWorkspace(repo.root, { env });
    const taken = await takeCapture(store.raw, workspace, {
      env,
      session,
      reason: "call-end",
      paths: [p("a"), p("missing")],
    });
    expect(pathsIn(taken)).toEqual(["a", "missing"]);
    expect(entryAt(taken, "missing")).toEqual({ path: "missing", state: null, flags: [] });
    expect(taken.capture).toMatchObject({
      how: "paths",
      head: { id: repo.git("rev-parse", "HEAD") },
      index: { size: statSync(join(repo.root, ".git/index")).size },
    });
  });

  it("looks through a folder that is named by status, and leaves ignored files out of it", async () => {
    const { repo, capture } = await capturing();
    repo.write(".gitignore", "*.o\n");
    repo.write("src/a", "1\n");
    repo.write("else/b", "1\n");
    repo.commit();
    repo.write("src/a", "2\n");
    repo.write("src/a.o", "ignored");
    repo.write("src/new", "n\n");
    repo.write("else/b", "2\n");
    const taken = await capture({ paths: [p("src")] });
    expect(pathsIn(taken)).toEqual(["src/a", "src/new"]);
    expect(taken.capture.scopes).toEqual([{ path: "src" }]);
  });
});

describe("a capture that cannot be", () => {
  it("W4, peers 3: fails without an id when status fails, and what is listed afterwards is the older one only", async () => {
    const { repo, store, session, capture } = await capturing();
    repo.write("f", "v1\n");
    repo.commit();
    repo.write("f", "v2\n");
    const first = await capture();
    repo.write("f", "v3\n");
    const index = readFileSync(join(repo.root, ".git/index"));
    repo.write(".git/index", "broken");
    expect(await codeOf(capture())).toBe("E_GIT_FAILED");
    repo.write(".git/index", index);
    renameSync(join(repo.root, ".git/HEAD"), join(repo.root, ".git/HEAD.away"));
    expect(await codeOf(capture())).toBe("E_GIT_FAILED");
    renameSync(join(repo.root, ".git/HEAD.away"), join(repo.root, ".git/HEAD"));
    const records = await store.raw.records({ session, kinds: ["capture.taken"] });
    expect(records.map(({ body }) => body.capture)).toEqual([first.id]);
  });

  it("W4: fails without an id when the store cannot take the contents", async () => {
    const { repo, store, capture, session } = await capturing();
    repo.commit();
    repo.write("f", "x");
    await store.raw.close();
    expect(await codeOf(capture())).not.toBe("no error");
    expect(session).toBeTruthy();
  });

  it("W4: fails when HEAD keeps moving under it", async () => {
    const { repo, store, session } = await capturing();
    repo.write("f", "1\n");
    const one = repo.commit();
    const two = repo.commit();
    repo.write("f", "2\n");
    const workspace = openWorkspace(repo.root, { env: DOOR_ENV });
    let flips = 0;
    const flip = (): void =>
      writeFileSync(join(repo.root, ".git/refs/heads/main"), `${flips++ % 2 ? two : one}\n`);
    const taken = takeCapture(store.raw, workspace, {
      env: DOOR_ENV,
      session,
      reason: "manual",
      onProgress: flip,
    });
    expect(await codeOf(taken)).toBe("E_CAPTURE_MOVING");
    expect(flips).toBeGreaterThan(2);
  });

  it("T5: at the store's cap it keeps hashes only, names every path as not held, and says partial", async () => {
    const { repo, session, store } = await capturing();
    repo.commit();
    repo.write("f", "bytes\n");
    const full = new Proxy(store.raw, {
      get: (target, key) => {
        if (key === "assertRoom") return () => Promise.reject(new RefloatError("E_STORE_CAP", { cap: 1 }));
        const value = Reflect.get(target, key);
        return typeof value === "function" ? value.bind(target) : value;
      },
    });
    const workspace = openWorkspace(repo.root, { env: DOOR_ENV });
    const taken = await takeCapture(full, workspace, { env: DOOR_ENV, session, reason: "manual" });
    expect(gapsIn(taken)).toEqual([["f", "not-held"]]);
    expect(entryAt(taken, "f")?.state?.hash).toBe(hashOf(Buffer.from("bytes\n")));
    expect(taken.capture.partial).toBe(true);
  });
});

describe("a plain folder", () => {
  it("is captured whole without git, nested repositories named, and not when it is too wide", async () => {
    const { store, session } = await capturing();
    const root = temporaryFolder();
    mkdirSync(join(root, "a/b"), { recursive: true });
    writeFileSync(join(root, "a/b/f"), "1");
    writeFileSync(join(root, "top"), "2");
    testRepository(join(root, "repo"));
    const env = DOOR_ENV;
    const taken = await takeCapture(store.raw, openWorkspace(root, { env }), {
      env,
      session,
      reason: "manual",
    });
    expect(taken.capture).toMatchObject({ how: "folder", head: null, index: null });
    expect(pathsIn(taken)).toEqual(["a/b/f", "top"]);
    expect(gapsIn(taken)).toEqual([["repo", "nested-repository"]]);
    const whole = takeCapture(store.raw, openWorkspace("/", { env }), { env, session, reason: "manual" });
    expect(await codeOf(whole)).toBe("E_FOLDER_TOO_WIDE");
  });
});

function testRepositoryAt(root: string): (...args: string[]) => string {
  return (...args) =>
    execFileSync("git", ["-c", "user.name=A", "-c", "user.email=a@example.invalid", ...args], {
      cwd: root,
      encoding: "utf8",
      env: { PATH: process.env.PATH, HOME: root, GIT_CONFIG_GLOBAL: "/dev/null" },
    }).trimEnd();
}
